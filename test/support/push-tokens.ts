import { randomBytes } from 'node:crypto';

/** The app of the demo organisation: the APNs topic of its iPhones. */
export const DEMO_APP_ID = 'org.carillon.demo';

/** A random APNs device token: 32 bytes in hexadecimal. */
export const iphoneToken = (): string => randomBytes(32).toString('hex');

/** A random installation id of Firebase. */
export const installationId = (): string => {
  const bytes = randomBytes(17);
  bytes[0] = 0b0111_0000 | (Number(bytes[0]) & 0b1111);
  return bytes.toString('base64url').slice(0, 22);
};

/** A random FCM registration token. */
export const androidToken = (): string =>
  `${randomBytes(16).toString('base64url')}:${randomBytes(96).toString('base64url')}`;
