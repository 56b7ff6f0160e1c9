import { randomUUID } from 'node:crypto';

/**
 * A UUID of version 7 (RFC 9562): 48 bits of time, then random bits. New rows are adjacent in an index, where random ids
 * would change one page each.
 */
export function uuidV7(milliseconds: number = Date.now()): string {
  const time = Math.floor(milliseconds).toString(16).padStart(12, '0');
  // The variant and the random bits of a version 4 UUID.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
