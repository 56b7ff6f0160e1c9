import { randomUUID } from 'node:crypto';

/**
 * A UUID of version 7 (RFC 9562): its first 48 bits are the time, the rest is random. As a key it keeps the rows of one
 * time together in an index, where random ids dirty a page each.
 */
export function uuidV7(milliseconds: number = Date.now()): string {
  const time = Math.floor(milliseconds).toString(16).padStart(12, '0');
  // Variant and random bits are those of a version 4 UUID.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
