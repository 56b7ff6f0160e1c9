import { createHmac, timingSafeEqual } from 'node:crypto';
import path from 'node:path';
import contentDisposition from 'content-disposition';
import mimeTypes from 'mime-types';

/** Replaces an empty name. */
const DEFAULT_NAME = 'uploaded-file';
/** In characters. */
const MAX_NAME_LENGTH = 255;
/** In bytes, well below the limits of file systems and servers. */
const MAX_URL_NAME_BYTES = 200;
const MAX_EXTENSION_LENGTH = 16;

/** Controls, ends of lines, and characters that turn or hide others: a file `photo[turn]gpj.exe` looks like a picture. */
const HIDING = /[\p{Control}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Format}/gu;
const SHOWS_NOTHING = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

const QUOTED: Readonly<Record<string, string>> = { '%22': '"', '%0A': '\n', '%0D': '\r' };

/** Decodes the name of a file in a form, in which browsers encode quotation marks and line breaks, and nothing else. */
export const unquotedName = (given: string): string =>
  given.replaceAll(/%(?:22|0A|0D)/g, (found) => QUOTED[found] ?? found);

/** The display name of a file, without characters that control or hide others, and cut to 255 characters. */
export function shownName(given: string): string {
  const name = given.replaceAll(HIDING, '').replaceAll(/\p{Surrogate}/gu, '\uFFFD');
  return SHOWS_NOTHING.test(name)
    ? DEFAULT_NAME
    : shortened(name, MAX_NAME_LENGTH, (text) => [...text].length);
}

/** The last part of the link of a file: one or more letters, digits, `_`, `.` and `-`. */
export function urlName(name: string, alphabet: 'unicode' | 'ascii' = 'unicode'): string {
  const foreign = alphabet === 'ascii' ? /[^A-Za-z0-9_\s.-]/g : /[^\p{Letter}\p{Number}_\s.-]/gu;
  const allowed = name
    .normalize('NFKC')
    .replaceAll(foreign, '')
    .trim()
    .replaceAll(/[-\s]+/g, '-');
  if (allowed === '' || allowed === '.' || allowed === '..') return DEFAULT_NAME;
  return shortened(allowed, MAX_URL_NAME_BYTES, Buffer.byteLength);
}

/** The content type from the client if it is valid, otherwise the type of the file extension. */
export function contentTypeOf(name: string, given: string | null): string {
  const [type = ''] = given?.split(';') ?? [];
  if (/^[\w.+-]{1,127}\/[\w.+-]{1,127}$/.test(type.trim())) return type.trim().toLowerCase();
  const extension = path.extname(name);
  return (extension !== '' && mimeTypes.lookup(extension)) || 'application/octet-stream';
}

/** Cuts whole characters from the end of the name, before its extension. */
function shortened(name: string, limit: number, sizeOf: (text: string) => number): string {
  if (sizeOf(name) <= limit) return name;
  const extension = path.extname(name);
  const end = [...extension].length <= MAX_EXTENSION_LENGTH ? extension : '';
  const characters: string[] = [];
  let size = sizeOf(end);
  for (const character of name) {
    size += sizeOf(character);
    if (size > limit) break;
    characters.push(character);
  }
  return characters.join('') + end;
}

/** No separators, and no unpaired surrogates, which no file system can store. */
const KEY_PART = /^[^/\\\0\p{Surrogate}]+$/u;
/** In bytes: the limits of common file systems and of S3. */
const MAX_KEY_PART_BYTES = 255;
const MAX_KEY_BYTES = 1024;

/** Whether a key is valid. A valid key never leads outside the storage. */
export const isStorageKey = (key: string): boolean =>
  Buffer.byteLength(key) <= MAX_KEY_BYTES && key.split('/').every(isKeyPart);

const isKeyPart = (name: string): boolean =>
  KEY_PART.test(name) &&
  name !== '.' &&
  name !== '..' &&
  Buffer.byteLength(name) <= MAX_KEY_PART_BYTES;

/** The lifetime of a temporary address. */
const VALID_MS = 60_000;

/**
 * A token that allows anyone to read one file for 60 seconds. It is part of an address, so it is shorter than a JWT, and
 * checking it needs no promise.
 */
export function makeFileToken(attachmentId: number, key: Buffer, now: number): string {
  const claim = `${attachmentId}.${now + VALID_MS}`;
  return `${claim}.${signatureOf(claim, key).toString('base64url')}`;
}

/** The id of the file of a token; null for a forged or expired token. */
export function openFileToken(token: string, key: Buffer, now: number): number | null {
  const [, claim = '', id = '', validUntil = '', signature = ''] =
    /^((\d{1,10})\.(\d{1,15}))\.([\w-]+)$/.exec(token) ?? [];
  const given = Buffer.from(signature, 'base64url');
  const expected = signatureOf(claim, key);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return now < Number(validUntil) ? Number(id) : null;
}

const signatureOf = (claim: string, key: Buffer): Buffer =>
  createHmac('sha256', key).update(claim).digest();

/** Types that browsers show without running them. Any other type of a client is a download, whatever its name promises. */
const SHOWN: ReadonlySet<string> = new Set([
  ...['apng', 'avif', 'gif', 'jpeg', 'png', 'webp'].map((type) => `image/${type}`),
  ...['3gpp', 'aac', 'flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'ogg', 'opus', 'wav', 'wave', 'webm'].map(
    (type) => `audio/${type}`,
  ),
  ...['vnd.wave', 'x-aac', 'x-flac', 'x-m4a', 'x-wav'].map((type) => `audio/${type}`),
  ...['3gpp', 'mp4', 'mpeg', 'ogg', 'quicktime', 'webm', 'x-m4v'].map((type) => `video/${type}`),
  'application/pdf',
  'text/plain',
]);

/** Types that browsers run as scripts. No file may be a script on this host, which also serves the ops page. */
const SCRIPT = /^(?:application|text)\/(?:x-)?(?:java|ecma|j|live)script/;

/** Keeps a file from acting as a page of this server. */
const POLICY = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'";
/** The PDF viewer of browsers does not start in a sandbox. */
const PDF_POLICY = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'";

/** The headers of a file response, without its length. */
export function fileHeaders(
  file: { readonly fileName: string; readonly contentType: string },
  isDownload: boolean,
): Record<string, string> {
  const isShown = !isDownload && SHOWN.has(file.contentType);
  return {
    'Content-Type': SCRIPT.test(file.contentType) ? 'application/octet-stream' : file.contentType,
    'Content-Disposition': contentDisposition(file.fileName, {
      type: isShown ? 'inline' : 'attachment',
      // Without a UTF-8 name beside it, browsers guess the encoding of a name that is not ASCII.
      fallback: file.fileName.replaceAll(/[^ -~]/gu, '?'),
    }),
    'Content-Security-Policy':
      file.contentType === 'application/pdf' ? PDF_POLICY : `${POLICY}; sandbox`,
    'X-Content-Type-Options': 'nosniff',
    // The file of a link never changes.
    'Cache-Control': 'private, max-age=86400, immutable',
  };
}
