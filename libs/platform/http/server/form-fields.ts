import { isUtf8 } from 'node:buffer';

const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;

/** The values of hexadecimal digits by their bytes; -1 for other bytes. */
const DIGITS = Int8Array.from({ length: 256 }, (_, byte) => {
  const value = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(value) ? -1 : value;
});

const digitAt = (bytes: Buffer, at: number): number => DIGITS[bytes[at] ?? 0] ?? -1;

/** The values of the fields of a form by name: a list for a name that is repeated. */
export type FormFields = Readonly<Record<string, string | readonly string[]>>;

/**
 * The fields of a form (WHATWG URL, 5.1); null if its bytes, or those that they encode, are not UTF-8. A percent sign that
 * begins no byte is text. A megabyte takes a few milliseconds, whatever it encodes: its bytes are read once.
 */
export function formFields(form: Buffer): FormFields | null {
  if (!isUtf8(form)) return null;
  const fields = Object.create(null) as Record<string, string | string[]>;
  const decoded = Buffer.allocUnsafe(form.length);
  let length = 0;
  let start = 0;
  let nameEnd = -1;
  const endField = () => {
    if (length > start) {
      const name = decoded.toString('utf8', start, nameEnd < 0 ? length : nameEnd);
      addField(fields, name, nameEnd < 0 ? '' : decoded.toString('utf8', nameEnd + 1, length));
    }
    start = length + 1;
    nameEnd = -1;
  };
  for (let at = 0; at < form.length; at += 1) {
    let byte = form[at] ?? 0;
    if (byte === AMPERSAND) endField();
    else if (byte === EQUALS && nameEnd < 0) nameEnd = length;
    else if (byte === PLUS) byte = SPACE;
    else if (byte === PERCENT) {
      const encoded = (digitAt(form, at + 1) << 4) | digitAt(form, at + 2);
      if (encoded >= 0) {
        byte = encoded;
        at += 2;
      }
    }
    // Separators too: without them the halves of a character in two fields would be one.
    decoded[length] = byte;
    length += 1;
  }
  endField();
  return isUtf8(decoded.subarray(0, length)) ? fields : null;
}

function addField(fields: Record<string, string | string[]>, name: string, value: string): void {
  const before = fields[name];
  if (before === undefined) fields[name] = value;
  else if (typeof before === 'string') fields[name] = [before, value];
  else before.push(value);
}
