import type { Actor, DemoApi } from './demo-api.js';
import { DemoMismatch } from './demo-mismatch.js';
import type { Inbox } from './inbox.js';
import type { Narrator } from './narrator.js';
import { makeAndroid, type Phone, register } from './phones.js';
import { TEST_NOTIFICATION } from './show-push.js';

/** Replaces the owner's key, and resolves with the owner as signed in with the new one. */
export async function showNewKey(
  api: DemoApi,
  narrator: Narrator,
  owner: Actor,
): Promise<Actor & { apiKey: string }> {
  narrator.chapter(
    `${owner.name} regenerates the API key`,
    'Say that a phone was stolen: from the moment of this answer its key is worth nothing.',
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
  narrator.seen('There is a new key.');
  return renewed;
}

/** Shows that the old key opens nothing and that the phones registered with it are out. */
export async function showLogout(
  api: DemoApi,
  inbox: Inbox,
  narrator: Narrator,
  story: { readonly before: Actor; readonly after: Actor; readonly phones: readonly Phone[] },
): Promise<void> {
  const { before, after, phones } = story;
  narrator.chapter(
    'The old key is refused',
    'By every gateway, not only by the one that answered.',
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
  narrator.seen('The old key is refused.');

  narrator.chapter(
    'The phones are logged out',
    'Their registrations are gone, without a word to the phones.',
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
  narrator.seen('Both are gone.');
  await showSilence(api, inbox, narrator, after, phones);
}

/** A new phone shows that notifications flow; then what the old ones did not get is known not to come. */
async function showSilence(
  api: DemoApi,
  inbox: Inbox,
  narrator: Narrator,
  owner: Actor,
  oldPhones: readonly Phone[],
): Promise<void> {
  narrator.chapter(
    'A notification reaches the new phone only',
    'A phone that signs in with the new key is served; when it has the notification, the old ones do not.',
  );
  const shownBefore = await Promise.all(oldPhones.map(({ token }) => inbox.shownOn(token)));
  const phone = makeAndroid();
  await register(api, owner, phone);
  await api.call(owner, TEST_NOTIFICATION, {}, { status: 200, promise: 'It is accepted' });
  await inbox.nthOn(phone.token, 1);
  narrator.seen(`It arrived at ${phone.name}.`);
  for (const [index, old] of oldPhones.entries()) {
    const more = (await inbox.shownOn(old.token)).length - (shownBefore[index]?.length ?? 0);
    if (more > 0) throw new DemoMismatch(`Nothing arrives at ${old.name}`, `${more} arrived`);
  }
  narrator.seen('Nothing arrived at the old phones.');
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
