import { createECDH, randomBytes } from 'node:crypto';

/** A subscription of a browser at a push service, with keys of its own. */
export function subscriptionAt(endpoint) {
  const p256dh = createECDH('prime256v1').generateKeys().toString('base64url');
  return {
    endpoint,
    expirationTime: null,
    keys: { p256dh, auth: randomBytes(16).toString('base64url') },
  };
}

export const contact = 'mailto:operator@example.org';
