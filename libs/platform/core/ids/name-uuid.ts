import { createHash } from 'node:crypto';

/** The namespace of addresses (RFC 9562, appendix A). */
const URL_NAMESPACE = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');

/** The UUID of version 5 for an address: always the same for the same address. */
export function nameUuid(url: string): string {
  const bytes = createHash('sha1').update(URL_NAMESPACE).update(url).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
