import type { Actor, DemoApi } from './demo-api.js';
import type { Inbox } from './inbox.js';
import { DemoMismatch, type DemoPrinter } from './demo-printer.js';
import {
  expectData,
  makeAndroid,
  makeIphone,
  type Phone,
  register,
  showAlert,
  showData,
} from './phones.js';

const TEST_NOTIFICATION = ['POST', '/mobile_push/test_notification'] as const;

/** Registers two phones and sends a test notification to both; resolves with the phones. */
export async function showPush(
  api: DemoApi,
  inbox: Inbox,
  printer: DemoPrinter,
  owner: Actor,
): Promise<readonly [iphone: Phone, android: Phone]> {
  const phones = [makeIphone(), makeAndroid()] as const;
  printer.section(
    `${owner.name} registers two phones`,
    'Each provider gives an app on a phone a token. A server with the token can send to the phone.',
  );
  for (const phone of phones) await register(api, owner, phone);

  printer.section(
    'A test notification',
    'The gateway accepts it; the push worker sends it over the real protocols of Apple and Google,\n' +
      'here to the push sandbox, which simulates both. An Android app composes the text itself.',
  );
  await api.call(owner, TEST_NOTIFICATION, {}, { status: 200, promise: 'It is accepted' });
  const [iphone, android] = phones;
  const onIphone = await inbox.nthOn(iphone.token, 1);
  showAlert(printer, iphone, onIphone);
  expectData(iphone, onIphone, { event: 'test' });
  printer.seen('It arrived at the iPhone.');

  const onAndroid = await inbox.nthOn(android.token, 1);
  showData(printer, android, onAndroid, 'all');
  expectData(android, onAndroid, { event: 'test' });
  printer.seen('It arrived at the Android phone.');
  return phones;
}

/** Replaces the owner's key, and resolves with the owner as signed in with the new one. */
export async function showNewKey(
  api: DemoApi,
  printer: DemoPrinter,
  owner: Actor,
): Promise<Actor & { apiKey: string }> {
  printer.section(
    `${owner.name} regenerates the API key`,
    'For example after the theft of a phone: the old key is invalid from this response on.',
  );
  const body = await api.call(
    owner,
    ['POST', '/users/me/api_key/regenerate'],
    {},
    {
      status: 200,
      promise: 'There is a new key',
    },
  );
  const renewed = { ...owner, apiKey: String(body['api_key']) };
  if (renewed.apiKey === owner.apiKey) {
    throw new DemoMismatch('A key that is not the old one', 'the old one');
  }
  printer.seen('There is a new API key.');
  return renewed;
}

/** Shows that the old key and the phones of the old key are rejected. */
export async function showLogout(
  api: DemoApi,
  inbox: Inbox,
  printer: DemoPrinter,
  story: { readonly before: Actor; readonly after: Actor; readonly phones: readonly Phone[] },
): Promise<void> {
  const { before, after, phones } = story;
  printer.section(
    'The old key is refused',
    'All gateways refuse it, not only the one that replaced it.',
  );
  await api.call(
    { ...before, name: `${before.name} (old key)` },
    ['POST', '/users/me/presence'],
    {
      status: 'active',
    },
    {
      status: 401,
      body: { msg: 'Invalid API key' },
      promise: 'The old key is refused',
    },
  );
  printer.seen('The old key is refused.');

  printer.section(
    'The phones are logged out',
    'Their registrations were deleted, and the phones receive nothing about it.',
  );
  for (const phone of phones) {
    await api.call(
      after,
      ['DELETE', phone.path],
      { token: phone.token },
      {
        status: 400,
        body: { msg: 'Token does not exist' },
        promise: `${phone.name} is no longer registered`,
      },
    );
    await api.call(
      after,
      TEST_NOTIFICATION,
      { token: phone.token },
      {
        status: 400,
        body: { code: 'INVALID_PUSH_DEVICE_TOKEN' },
        promise: `${phone.name} is no longer sent to`,
      },
    );
  }
  printer.seen('Both registrations are deleted.');
  await showSilence(api, inbox, printer, after, phones);
}

/** A notification reaches a new phone, and does not reach the old ones. */
async function showSilence(
  api: DemoApi,
  inbox: Inbox,
  printer: DemoPrinter,
  owner: Actor,
  oldPhones: readonly Phone[],
): Promise<void> {
  printer.section(
    'A notification reaches the new phone only',
    'The new phone is registered with the new key. When it has the notification, the old phones do not.',
  );
  const shownBefore = await Promise.all(oldPhones.map(({ token }) => inbox.shownOn(token)));
  const phone = makeAndroid();
  await register(api, owner, phone);
  await api.call(owner, TEST_NOTIFICATION, {}, { status: 200, promise: 'It is accepted' });
  await inbox.nthOn(phone.token, 1);
  printer.seen(`It arrived at ${phone.name}.`);
  for (const [index, old] of oldPhones.entries()) {
    const more = (await inbox.shownOn(old.token)).length - (shownBefore[index]?.length ?? 0);
    if (more > 0) throw new DemoMismatch(`Nothing arrives at ${old.name}`, `${more} arrived`);
  }
  printer.seen('Nothing arrived at the old phones.');
  await api.call(
    owner,
    ['DELETE', phone.path],
    { token: phone.token },
    {
      status: 200,
      promise: `${phone.name} can be removed again`,
    },
  );
}
