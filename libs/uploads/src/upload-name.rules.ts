import path from 'node:path';
import mimeTypes from 'mime-types';

/** What stands for a name that nothing is left of. */
const NO_NAME = 'uploaded-file';
/** In characters. */
const LONGEST_NAME = 255;
/** In bytes: with it a link stays well below what file systems and servers take. */
const LONGEST_URL_NAME = 200;
const LONGEST_EXTENSION = 16;

/** The name of a file as a form has it, where browsers put `%22` for a quotation mark. */
export const unquotedName = (given: string): string =>
  given.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString(),
  );

/** The name that a file is shown under: without what no text can hold, and of a length to live with. */
export function shownName(given: string): string {
  const name = given.replaceAll(/\p{Control}/gu, '').replaceAll(/\p{Surrogate}/gu, '\uFFFD');
  return name === '' ? NO_NAME : shortened(name, LONGEST_NAME, (text) => [...text].length);
}

/** The last part of a file's link: only letters, digits, `_`, `.` and `-`, and of those at least one. */
export function urlName(name: string, alphabet: 'unicode' | 'ascii' = 'unicode'): string {
  const foreign = alphabet === 'ascii' ? /[^A-Za-z0-9_\s.-]/g : /[^\p{Letter}\p{Number}_\s.-]/gu;
  const kept = name
    .normalize('NFKC')
    .replaceAll(foreign, '')
    .trim()
    .replaceAll(/[-\s]+/g, '-');
  if (kept === '' || kept === '.' || kept === '..') return NO_NAME;
  return shortened(kept, LONGEST_URL_NAME, Buffer.byteLength);
}

/** The client's own content type, if it is one, or else that of files whose name ends so. */
export function contentTypeOf(name: string, given: string | null): string {
  const [type = ''] = given?.split(';') ?? [];
  if (/^[\w.+-]{1,127}\/[\w.+-]{1,127}$/.test(type.trim())) return type.trim().toLowerCase();
  const extension = path.extname(name);
  return (extension !== '' && mimeTypes.lookup(extension)) || 'application/octet-stream';
}

/** Cuts from the end of the name before its extension, a whole character at a time. */
function shortened(name: string, limit: number, sizeOf: (text: string) => number): string {
  if (sizeOf(name) <= limit) return name;
  const extension = path.extname(name);
  const end = [...extension].length <= LONGEST_EXTENSION ? extension : '';
  const kept: string[] = [];
  let size = sizeOf(end);
  for (const character of name) {
    size += sizeOf(character);
    if (size > limit) break;
    kept.push(character);
  }
  return kept.join('') + end;
}
