import { createHash } from 'node:crypto';

/** The SHA-256 of what a request asks for, whatever the order of its fields; those left out count as such. */
export function requestDigest(endpoint: string, fields: Readonly<Record<string, unknown>>): Buffer {
  const sorted = Object.entries(fields).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([endpoint, Object.fromEntries(sorted)]))
    .digest();
}
