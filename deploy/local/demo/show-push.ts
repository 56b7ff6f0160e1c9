import type { Actor, DemoApi } from './demo-api.js';
import { DemoMismatch } from './demo-mismatch.js';
import type { Arrival, Inbox } from './inbox.js';
import type { Narrator } from './narrator.js';
import { makeAndroid, makeIphone, type Phone, register } from './phones.js';

export const TEST_NOTIFICATION = ['POST', '/mobile_push/test_notification'] as const;

/** Registers two phones and sends a test notification to both; resolves with the phones. */
export async function showPush(
  api: DemoApi,
  inbox: Inbox,
  narrator: Narrator,
  owner: Actor,
): Promise<readonly [iphone: Phone, android: Phone]> {
  const phones = [makeIphone(), makeAndroid()] as const;
  narrator.chapter(
    `${owner.name} registers two phones`,
    'Each provider gives an app on a phone a token; whoever holds it can reach the phone.',
  );
  for (const phone of phones) await register(api, owner, phone);

  narrator.chapter(
    'A test notification',
    'The gateway accepts it; the push worker sends it over the real protocols of Apple and Google,\n' +
      'here to the push sandbox, which stands in for both.',
  );
  await api.call(owner, TEST_NOTIFICATION, {}, { status: 200, promise: 'It is accepted' });
  const [iphone, android] = phones;
  showOnIphone(narrator, iphone, await inbox.firstOn(iphone.token));
  showOnAndroid(narrator, android, await inbox.firstOn(android.token));
  return phones;
}

function showOnIphone(narrator: Narrator, phone: Phone, { payload, topic }: Arrival): void {
  const alert = memberOf(memberOf(payload, 'aps'), 'alert');
  const [title, body] = [alert['title'], alert['body']].map(String);
  narrator.screen(`On ${phone.name}, app ${topic}`, [title ?? '', body ?? '']);
  expectTest(memberOf(payload, 'zulip'), phone);
  narrator.seen('It arrived at the iPhone.');
}

/** An Android app is given data and words the notification itself. */
function showOnAndroid(narrator: Narrator, phone: Phone, { payload }: Arrival): void {
  const data = memberOf(memberOf(payload, 'message'), 'data');
  const pairs = Object.entries(data).map(([name, value]) => `${name}: ${String(value)}`);
  narrator.screen(`On ${phone.name}`, pairs);
  expectTest(data, phone);
  narrator.seen('It arrived at the Android phone.');
}

function expectTest(fields: Readonly<Record<string, unknown>>, phone: Phone): void {
  if (fields['event'] === 'test') return;
  throw new DemoMismatch(`${phone.name} is told the event "test"`, JSON.stringify(fields));
}

function memberOf(
  object: Readonly<Record<string, unknown>>,
  name: string,
): Record<string, unknown> {
  const member = object[name];
  if (typeof member === 'object' && member !== null) return { ...member };
  throw new DemoMismatch(`The notification has the part "${name}"`, JSON.stringify(object));
}
