import { randomBytes } from 'node:crypto';

/** The app of the demo organisation: the topic that its iPhones listen to. */
export const DEMO_APP_ID = 'org.carillon.demo';

/** A token such as an iPhone is given: 32 bytes in hexadecimal. */
export const iphoneToken = (): string => randomBytes(32).toString('hex');

/** A token such as an Android phone is given. */
export const androidToken = (): string =>
  `${randomBytes(16).toString('base64url')}:${randomBytes(96).toString('base64url')}`;
