import { createHash, randomBytes } from 'node:crypto';
import type { Actor, DemoApi } from './demo-api.js';
import { shortened } from './narrator.js';

const APP_ID = 'org.carillon.demo';

/** A phone of the demonstration. */
export interface Phone {
  readonly name: string;
  readonly platform: 'apns' | 'fcm';
  readonly token: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** An iPhone as fresh from the box: its token is new. */
export function makeIphone(): Phone {
  const token = randomBytes(32).toString('hex');
  return {
    name: `the iPhone ${shortened(token)}`,
    platform: 'apns',
    token,
    path: '/users/me/apns_device_token',
    fields: { token, appid: APP_ID },
  };
}

/** An Android phone whose token is new. */
export function makeAndroid(): Phone {
  const token = `${randomBytes(16).toString('base64url')}:${randomBytes(96).toString('base64url')}`;
  return {
    name: `the Android phone ${shortened(token)}`,
    platform: 'fcm',
    token,
    path: '/users/me/android_gcm_reg_id',
    fields: { token },
  };
}

/** What the ledger, logs and the ops page call a token by. */
export const fingerprintOf = ({ token }: Phone): string =>
  createHash('sha256').update(token).digest('hex').slice(0, 12);

export const register = (api: DemoApi, owner: Actor, phone: Phone) =>
  api.call(owner, ['POST', phone.path], phone.fields, {
    status: 200,
    promise: `The gateway takes ${phone.name}`,
  });
