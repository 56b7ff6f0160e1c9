import { beforeAll, describe, expect, it } from '@jest/globals';
import { idOf, success } from '#test/answers';
import { ApiClient } from '#test/api-client';
import type { Person } from '#test/organisation';
import { Phone } from '#test/phone';
import { DEMO_APP_ID } from '#test/push-tokens';
import type { Reader, PhoneNotifications } from '#test/phone-notifications';
import { type Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import { useFixture } from '#test/use-fixture';
import { addMessagingPeople, startMessagingSystem } from './message-notifications.world.js';

const system = useFixture(startMessagingSystem);
let phones: PhoneNotifications;
let mail: Correspondence;
let ann: Person;

beforeAll(async () => {
  // All message ids of this file exceed 32 bits.
  await system.database.database.prisma
    .$executeRaw`ALTER SEQUENCE messages_id_seq RESTART WITH 5000000000`;
  ({ phones, mail, ann } = await addMessagingPeople(system));
});

/** The last notifications of both phones of a person, after they have shown a message. */
async function shownOf({ iphone, android }: Reader, messageId: number) {
  return Promise.all(
    [iphone, android].map(async (phone) => {
      await phones.untilShown(phone, 'message', messageId);
      return (await system.sandbox.shownOn(phone.token)).at(-1);
    }),
  );
}

describe('A message', () => {
  it('is shown on iPhones and Android phones', async () => {
    const ben = await phones.addReader({ fullName: 'Ben Oak' });
    const channel = await mail.addChannel([ann, ben], { name: 'plans & tea' });
    const id = idOf(await sendToChannel(ann, channel, 'Tea, **now**, @**Ben Oak**?', 'Today'));
    const [iphone, android] = await shownOf(ben, id);
    const site = system.gatewayUrl.replace('127.0.0.1', ben.host);
    const common = {
      event: 'message',
      realm_uri: site,
      realm_url: site,
      realm_name: 'Organisation of a test',
      sender_email: ann.email,
      recipient_type: 'stream',
      stream: 'plans & tea',
      topic: 'Today',
    };
    expect(iphone).toMatchObject({ topic: DEMO_APP_ID, status: 200 });
    expect(iphone?.payload).toEqual({
      aps: {
        alert: {
          title: '#plans & tea > Today',
          subtitle: 'Ann Écru mentioned you:',
          body: 'Tea, now, @Ben Oak?',
        },
        sound: 'default',
        badge: 0,
        'thread-id': expect.stringMatching(/^[\w-]{22}$/),
        'relevance-score': 1,
      },
      zulip: {
        ...common,
        user_id: ben.id,
        sender_id: ann.id,
        stream_id: channel.id,
        message_ids: [id],
      },
    });
    expect(iphone?.headers).toMatchObject({
      'apns-push-type': 'alert',
      'apns-priority': '10',
      'apns-collapse-id': expect.stringMatching(/^.{1,64}$/),
    });
    const in28Days = Date.now() / 1000 + 28 * 86_400;
    expect(Math.abs(Number(iphone?.headers['apns-expiration']) - in28Days)).toBeLessThan(60);
    expect(android?.payload['message']).toEqual({
      token: ben.android.token,
      android: { priority: 'high', ttl: expect.stringMatching(/^241\d{4}s$/) },
      data: {
        ...common,
        server: new URL(system.gatewayUrl).host,
        realm_id: String(phones.organisation.id),
        user_id: String(ben.id),
        sender_id: String(ann.id),
        stream_id: String(channel.id),
        zulip_message_id: String(id),
        time: expect.stringMatching(/^\d{10}$/),
        content: 'Tea, now, @Ben Oak?',
        sender_full_name: 'Ann Écru',
        sender_avatar_url: expect.stringMatching(/\/avatar\/\d+\?version=1$/),
        notification_id: iphone?.headers['apns-collapse-id'],
      },
    });
  });

  it('names the sender of a direct message, and the participants of a group conversation', async () => {
    const [ben, cat] = [
      await phones.addReader({ fullName: 'Ben Oak' }),
      await phones.addReader({ fullName: 'Cat Ash' }),
    ];
    const [alone] = await shownOf(ben, idOf(await sendToPeople(ann, [ben], 'Psst')));
    expect(alone?.payload).toMatchObject({
      aps: { alert: { title: 'Ann Écru', subtitle: '', body: 'Psst' } },
      zulip: { recipient_type: 'private' },
    });
    expect(alone?.payload['zulip']).not.toHaveProperty('pm_users');
    const [together, android] = await shownOf(
      ben,
      idOf(await sendToPeople(ann, [cat, ben], 'All')),
    );
    const pm_users = [ann.id, ben.id, cat.id].toSorted((one, other) => one - other).join(',');
    expect(together?.payload).toMatchObject({
      aps: { alert: { title: 'Ann Écru, Ben Oak, Cat Ash', subtitle: 'Ann Écru:', body: 'All' } },
      zulip: { recipient_type: 'private', pm_users },
    });
    expect(android?.payload).toMatchObject({ message: { data: { pm_users } } });
  });

  it('fits into the size limit with any names', async () => {
    const ben = await phones.addReader();
    const name = '𝕬"\\\u0001'.repeat(15);
    const sender = await phones.organisation.addPerson({ fullName: '𝕬'.repeat(100) });
    const channel = await mail.addChannel([sender, ben], { name });
    const group = '𝕬\\'.repeat(50);
    await mail.addGroup([ben], { name: group });
    const content = `@*${group}* ${'\u0001'.repeat(300)}`;
    const id = idOf(await sendToChannel(sender, channel, content, '𝕬"\\!'.repeat(15)));
    const [iphone, android] = await shownOf(ben, id);
    const { data } = (android?.payload['message'] ?? {}) as { readonly data?: unknown };
    for (const payload of [iphone?.payload, data]) {
      expect(Buffer.byteLength(JSON.stringify(payload))).toBeLessThanOrEqual(4096);
    }
  });
});

describe('An account', () => {
  it('is notified of mentions and of channels with notifications only', async () => {
    const ben = await phones.addReader({ fullName: 'Ben Elm' });
    const others = await mail.addChannel([ann, ben]);
    const [wanted, muted] = [await mail.addChannel([ann, ben]), await mail.addChannel([ann, ben])];
    await mail.addGroup([ben], { name: 'elms' });
    const subscriptions = system.database.database.prisma.subscription;
    const of = (channel: { readonly id: number }) => ({
      where: { userId: ben.id, channelId: channel.id },
    });
    await subscriptions.updateMany({ ...of(wanted), data: { pushNotifications: true } });
    await subscriptions.updateMany({ ...of(muted), data: { isMuted: true } });
    const shown: number[] = [];
    for (const [isNotified, channel, content] of [
      [false, others, 'Nothing'],
      [true, others, '@**Ben Elm**'],
      [false, others, '@_**Ben Elm** and `@**Ben Elm**`'],
      [true, others, '@*elms*'],
      [true, others, '@**all**'],
      [true, wanted, 'Something'],
      [false, muted, '@**all**'],
      [true, muted, '@**Ben Elm**'],
    ] as const) {
      const id = idOf(await sendToChannel(ann, channel, content));
      if (isNotified) shown.push(id);
    }
    // A sender gets no notification of the own message.
    await sendToChannel(ben, others, '@**Ben Elm** @**all**');
    await sendToPeople(ben, [ben, ann], 'Note');
    expect(await phones.messagesOf(ben, ann)).toEqual(shown);
  });

  it('is notified according to its settings', async () => {
    const ben = await phones.addReader({ fullName: 'Ben Fir' });
    const channel = await mail.addChannel([ann, ben]);
    const say = async (content: string) => idOf(await sendToChannel(ann, channel, content));
    const set = (settings: Readonly<Record<string, boolean>>) =>
      ben.api.patch('/settings', settings);
    // Unread messages of the last hour are decided again with each change.
    const readAll = () => ben.api.post('/mark_all_as_read');
    await set({ wildcard_mentions_notify: false });
    await say('@**all**');
    await readAll();
    await set({ enable_stream_push_notifications: true });
    const wanted = await say('Hello');
    // Before the change, which withdraws what has not been sent.
    await phones.untilShown(ben.iphone, 'message', wanted);
    await set({
      enable_stream_push_notifications: false,
      enable_offline_push_notifications: false,
    });
    await say('@**Ben Fir**');
    await sendToPeople(ann, [ben], 'Hello');
    await readAll();
    await set({ enable_offline_push_notifications: true });
    expect(await phones.messagesOf(ben, ann)).toEqual([wanted]);
  });

  it('is not notified by muted accounts', async () => {
    const [ben, bad] = [
      await phones.addReader({ fullName: 'Ben Ivy' }),
      await phones.organisation.addPerson(),
    ];
    const channel = await mail.addChannel([bad, ben]);
    expect(await ben.api.post(`/users/me/muted_users/${bad.id}`)).toMatchObject(success);
    await sendToPeople(bad, [ben]);
    await sendToChannel(bad, channel, '@**Ben Ivy** @**all**');
    expect(await phones.messagesOf(ben, ann)).toEqual([]);
  });

  it('is not notified while it is active, unless its settings allow that', async () => {
    const ben = await phones.addReader();
    const before = idOf(await sendToPeople(ann, [ben], 'Are you there?'));
    await phones.untilShown(ben.android, 'message', before);
    await ben.api.post('/users/me/presence', { status: 'active', ping_only: true });
    const whileActive = idOf(await sendToPeople(ann, [ben], 'Hello'));
    expect(await phones.shownOn(ben.android)).toHaveLength(1);
    await ben.api.patch('/settings', { enable_online_push_notifications: true });
    await phones.untilShown(ben.android, 'message', whileActive);
    expect(await phones.messagesOf(ben, ann)).toEqual([before, whileActive]);
  });

  it('is notified of what came while it was active, once its last client has gone', async () => {
    const ben = await phones.addReader();
    const { body } = await ben.api.post('/register');
    await ben.api.post('/users/me/presence', { status: 'active', ping_only: true });
    const [read, unread] = [
      idOf(await sendToPeople(ann, [ben], 'Are you there?')),
      idOf(await sendToPeople(ann, [ben], 'Tea?')),
    ];
    await ben.api.post('/messages/flags', { messages: [read], op: 'add', flag: 'read' });
    await ben.api.delete('/events', { queue_id: String(body['queue_id']) });
    await phones.untilShown(ben.android, 'message', unread);
    expect(await phones.messagesOf(ben, ann)).toEqual([unread]);
  });

  it('is notified after it has been idle, also if every program was killed meanwhile', async () => {
    const ben = await phones.addReader();
    await ben.api.post('/users/me/presence', { status: 'active', ping_only: true });
    const id = idOf(await sendToPeople(ann, [ben], 'Tea?'));
    const programs = ['push-worker', 'api-gateway', 'presence'] as const;
    for (const program of programs) await system.kill(program);
    await system.database.database.prisma.userPresence.update({
      where: { userId: ben.id },
      data: { activeAt: Math.floor(Date.now() / 1000) - 1000 },
    });
    await system.database.database.prisma.pushDeferral.update({
      where: { userId: ben.id },
      data: { dueAt: new Date(Date.now() - 1000) },
    });
    for (const program of programs.toReversed()) await system.start(program);
    await phones.untilShown(ben.android, 'message', id);
    expect(await phones.messagesOf(ben, ann)).toEqual([id]);
  });

  it('is not notified on phones of a replaced key', async () => {
    const ben = await phones.addReader();
    const { body } = await ben.api.post('/users/me/api_key/regenerate');
    const api = new ApiClient(system.gatewayUrl, { ...ben, api_key: String(body['api_key']) });
    const phone = await Phone.android().register(api);
    await phones.untilShown(phone, 'message', idOf(await sendToPeople(ann, [ben])));
    expect(await phones.shownOn(ben.android)).toEqual([]);
    expect(await phones.shownOn(ben.iphone)).toEqual([]);
  });
});
