import { hash } from 'node:crypto';

/**
 * The UUID of a notification to a device. Always the same, so that a provider that is asked twice sees
 * that it is the same push. Made as UUID version 8 (RFC 9562) is: our own bits, here of a SHA-256.
 */
export function deliveryId(notificationId: string, deviceId: number): string {
  const digest = hash('sha256', `${notificationId}/${deviceId}`);
  const variant = (0x8 | (Number.parseInt(digest.charAt(16), 16) & 0x3)).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}
