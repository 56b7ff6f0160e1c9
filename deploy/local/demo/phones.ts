import { randomBytes } from 'node:crypto';
import type { Actor, DemoApi } from './demo-api.js';
import type { Arrival } from './inbox.js';
import { DemoMismatch, type DemoPrinter, shortened } from './demo-printer.js';

const APP_ID = 'org.carillon.demo';

/** A phone of the demonstration. */
export interface Phone {
  readonly name: string;
  readonly platform: 'apns' | 'fcm';
  readonly token: string;
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** An iPhone with a new token. */
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

/** An Android phone with a new token. */
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

export const register = (api: DemoApi, owner: Actor, phone: Phone) =>
  api.call(owner, ['POST', phone.path], phone.fields, {
    status: 200,
    promise: `The gateway takes ${phone.name}`,
  });

type Members = Readonly<Record<string, unknown>>;

/** The data of a notification that an Android app displays. */
const SHOWN_DATA = new Set([
  'event',
  'sender_full_name',
  'stream',
  'topic',
  'content',
  'zulip_message_ids',
]);

/** Prints the alert of a notification on an iPhone, and returns its lines. */
export function showAlert(
  printer: DemoPrinter,
  phone: Phone,
  { payload, topic }: Arrival,
): readonly string[] {
  const alert = memberOf(memberOf(payload, 'aps'), 'alert');
  const parts = ['title', 'subtitle', 'body'].map((part) => String(alert[part] ?? ''));
  const lines = parts.filter((part) => part !== '');
  printer.screen(`On ${phone.name}, app ${topic}`, lines);
  return lines;
}

/** Prints the data of a notification: all of it, or only the displayed members. */
export function showData(
  printer: DemoPrinter,
  phone: Phone,
  arrival: Arrival,
  names: 'all' | 'shown' = 'shown',
): void {
  const pairs = Object.entries(dataOf(phone, arrival))
    .filter(([name]) => names === 'all' || SHOWN_DATA.has(name))
    .map(([name, value]) => `${name}: ${String(value)}`);
  printer.screen(`The app on ${phone.name} receives`, pairs);
}

/** The data of a notification for the app. */
export const dataOf = ({ platform }: Phone, { payload }: Arrival): Members =>
  platform === 'apns' ? memberOf(payload, 'zulip') : memberOf(memberOf(payload, 'message'), 'data');

/** Throws DemoMismatch unless the data of a notification contains these members. */
export function expectData(
  phone: Phone,
  arrival: Arrival,
  expected: Readonly<Record<string, string>>,
): void {
  const data = dataOf(phone, arrival);
  if (Object.entries(expected).every(([name, value]) => data[name] === value)) return;
  throw new DemoMismatch(
    `${phone.name} receives ${JSON.stringify(expected)}`,
    JSON.stringify(data),
  );
}

/** Throws DemoMismatch unless the alert has these lines. */
export function expectLines(
  phone: Phone,
  lines: readonly string[],
  expected: readonly string[],
): void {
  if (lines.join('\n') === expected.join('\n')) return;
  throw new DemoMismatch(`${phone.name} shows ${JSON.stringify(expected)}`, JSON.stringify(lines));
}

function memberOf(object: Members, name: string): Record<string, unknown> {
  const member = object[name];
  if (typeof member === 'object' && member !== null) return { ...member };
  throw new DemoMismatch(`The notification has the part "${name}"`, JSON.stringify(object));
}
