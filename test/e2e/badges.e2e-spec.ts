import { beforeAll, describe, expect, it } from '@jest/globals';
import { idOf, success } from '#test/answers';
import { sendToPeople } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import type { PhoneNotifications, Reader } from '#test/phone-notifications';
import { DEMO_APP_ID } from '#test/push-tokens';
import { useFixture } from '#test/use-fixture';
import { addMessagingPeople, startMessagingSystem } from './message-notifications.world.js';

const system = useFixture(startMessagingSystem);
let phones: PhoneNotifications;
let ann: Person;

beforeAll(async () => {
  ({ phones, ann } = await addMessagingPeople(system));
});

const register = async ({ api, iphone }: Reader, more: Readonly<Record<string, unknown>> = {}) =>
  expect(
    await api.post('/users/me/apns_device_token', {
      token: iphone.token,
      appid: DEMO_APP_ID,
      ...more,
    }),
  ).toMatchObject(success);

const read = async ({ api }: Reader, messages: readonly number[]) =>
  expect(await api.post('/messages/flags', { messages, op: 'add', flag: 'read' })).toMatchObject(
    success,
  );

const send = async (to: Reader) => idOf(await sendToPeople(ann, [to], 'Tea?'));

/** The last push to the iPhone, after one of a message. */
async function lastOf({ iphone }: Reader, event: string, messageId: number) {
  await phones.untilShown(iphone, event, messageId);
  return (await system.sandbox.shownOn(iphone.token)).at(-1);
}

describe('The icon of an app', () => {
  it('shows how many unread messages the phone shows, if the app asks for it', async () => {
    const ben = await phones.addReader();
    await register(ben, { wants_badge: true });
    const first = await send(ben);
    expect((await lastOf(ben, 'message', first))?.payload).toMatchObject({ aps: { badge: 1 } });
    const second = await send(ben);
    expect((await lastOf(ben, 'message', second))?.payload).toMatchObject({ aps: { badge: 2 } });
    await read(ben, [first]);
    const removal = await lastOf(ben, 'remove', first);
    expect(removal?.payload['aps']).toEqual({ 'content-available': 1, badge: 1 });
    // Apple demands that a background push changes nothing that people see.
    expect(removal?.headers).toMatchObject({
      'apns-push-type': 'alert',
      'apns-priority': '5',
      'apns-expiration': '0',
    });
  });

  it('shows nothing by itself, also when the app does not ask any more', async () => {
    const ben = await phones.addReader();
    await register(ben, { wants_badge: true });
    await register(ben);
    const id = await send(ben);
    expect((await lastOf(ben, 'message', id))?.payload).toMatchObject({ aps: { badge: 0 } });
    await read(ben, [id]);
    const removal = await lastOf(ben, 'remove', id);
    expect(removal?.payload['aps']).toEqual({ 'content-available': 1 });
    expect(removal?.headers).toMatchObject({ 'apns-push-type': 'background' });
  });
});
