/** A part of a file: the first and the last byte, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * What a `Range` header asks of a file: one range; null for the whole file, which is also the answer to
 * a header that cannot be read and to several ranges; `unsatisfiable` where the file has no such bytes.
 */
export function byteRangeOf(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | null {
  const [, from = '', to = ''] = ONE_RANGE.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return null;
  if (from === '') {
    const length = Math.min(Number(to), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { first: sizeBytes - length, last: sizeBytes - 1 };
  }
  const first = Number(from);
  const last = to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
  if (to !== '' && Number(to) < first) return null;
  return first >= sizeBytes ? 'unsatisfiable' : { first, last };
}
