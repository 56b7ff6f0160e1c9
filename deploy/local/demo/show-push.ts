import type { Actor, DemoApi } from './demo-api.js';
import type { Inbox } from './inbox.js';
import type { Narrator } from './narrator.js';
import { makeAndroid, makeIphone, type Phone, register } from './phones.js';
import { expectData, showAlert, showData } from './screens.js';

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
      'here to the push sandbox, which stands in for both. An Android app words the notification itself.',
  );
  await api.call(owner, TEST_NOTIFICATION, {}, { status: 200, promise: 'It is accepted' });
  const [iphone, android] = phones;
  const onIphone = await inbox.nthOn(iphone.token, 1);
  showAlert(narrator, iphone, onIphone);
  expectData(iphone, onIphone, { event: 'test' });
  narrator.seen('It arrived at the iPhone.');

  const onAndroid = await inbox.nthOn(android.token, 1);
  showData(narrator, android, onAndroid, 'all');
  expectData(android, onAndroid, { event: 'test' });
  narrator.seen('It arrived at the Android phone.');
  return phones;
}
