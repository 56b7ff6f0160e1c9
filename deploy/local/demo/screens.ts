import { DemoMismatch } from './demo-mismatch.js';
import type { Arrival } from './inbox.js';
import type { Narrator } from './narrator.js';
import type { Phone } from './phones.js';

type Members = Readonly<Record<string, unknown>>;

/** What of a notification's data an Android app needs for what it shows; the rest is for opening it. */
const SHOWN_DATA = new Set([
  'event',
  'sender_full_name',
  'stream',
  'topic',
  'content',
  'zulip_message_ids',
]);

/** Shows the alert of a notification, as an iPhone does by itself, and resolves with its lines. */
export function showAlert(
  narrator: Narrator,
  phone: Phone,
  { payload, topic }: Arrival,
): readonly string[] {
  const alert = memberOf(memberOf(payload, 'aps'), 'alert');
  const parts = ['title', 'subtitle', 'body'].map((part) => String(alert[part] ?? ''));
  const lines = parts.filter((part) => part !== '');
  narrator.screen(`On ${phone.name}, app ${topic}`, lines);
  return lines;
}

/** Shows what the app on a phone is told by a notification: all of it, or what it shows. */
export function showData(
  narrator: Narrator,
  phone: Phone,
  arrival: Arrival,
  names: 'all' | 'shown' = 'shown',
): void {
  const pairs = Object.entries(dataOf(phone, arrival))
    .filter(([name]) => names === 'all' || SHOWN_DATA.has(name))
    .map(([name, value]) => `${name}: ${String(value)}`);
  narrator.screen(`The app on ${phone.name} is told`, pairs);
}

/** What the app on a phone is told by a notification. */
export const dataOf = ({ platform }: Phone, { payload }: Arrival): Members =>
  platform === 'apns' ? memberOf(payload, 'zulip') : memberOf(memberOf(payload, 'message'), 'data');

/** Rejects with DemoMismatch unless a notification tells the app these, among others. */
export function expectData(
  phone: Phone,
  arrival: Arrival,
  expected: Readonly<Record<string, string>>,
): void {
  const data = dataOf(phone, arrival);
  if (Object.entries(expected).every(([name, value]) => data[name] === value)) return;
  throw new DemoMismatch(`${phone.name} is told ${JSON.stringify(expected)}`, JSON.stringify(data));
}

/** Rejects with DemoMismatch unless the alert on an iPhone has these lines. */
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
