import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { idOf } from '#test/answers';
import type { Prisma } from '#platform/database';
import { countStatements } from '#test/count-statements';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { NotifiedPeople } from '#test/message-notifications-world';
import { sendToChannel, sendToPeople } from '#test/messages-organisation';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const people = useFixture(() => NotifiedPeople.in(system));
const sender = useFixture(() => people.add({}, { fullName: 'Sven Sender' }));

describe('A message', () => {
  it('is notified on every phone of its reader only', async () => {
    const reader = await people.add();
    const token = await people.addPhone(reader, { platform: 'apns' });
    await people.addPhone(reader, { keyGeneration: 0 });
    const before = await people.of(sender);
    const messageId = idOf(await sendToPeople(sender, [reader]));
    const fingerprint = createHash('sha256').update(token).digest('hex').slice(0, 12);
    const pending = { mayWait: false, state: 'pending' };
    expect(await people.of(reader)).toEqual([
      {
        kind: 'message',
        content: { kind: 'message', messageId, trigger: 'direct' },
        deliveries: [
          { ...pending, platform: 'fcm', fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/) },
          { ...pending, platform: 'apns', fingerprint },
        ],
      },
    ]);
    expect(await people.onScreenOf(reader)).toEqual([messageId]);
    expect(await people.of(sender)).toEqual(before);
  });

  it('is notified for half an hour, and its removal for a day', async () => {
    const reader = await people.add();
    const messageId = idOf(await sendToPeople(sender, [reader]));
    await reader.api.post('/messages/flags', { messages: [messageId], op: 'add', flag: 'read' });
    const rows = await people.prisma.pushNotification.findMany({
      where: { userId: reader.id },
      orderBy: { acceptedAt: 'asc' },
    });
    const lives = rows.map(({ acceptedAt, expiresAt }) => +expiresAt - +acceptedAt);
    expect(lives.map((life) => Math.round(life / 1000))).toEqual([1800, 86_400]);
  });

  it('is not notified if it is not stored', async () => {
    const reader = await people.add();
    const channel = await people.mail.addChannel([sender, reader], { archivedAt: new Date() });
    expect(await sendToChannel(sender, channel, '@**all**')).toMatchObject({ status: 400 });
    expect(await people.of(reader)).toEqual([]);
  });

  it('to the Welcome Bot is not notified', async () => {
    const administrator = await people.add({}, { role: 200 });
    const reply = await administrator.api.post('/realm/test_welcome_bot_custom_message', {
      welcome_message_custom_text: 'Welcome!',
    });
    expect(reply).toMatchObject({ status: 200 });
    expect(await people.of(administrator)).toEqual([]);
  });
});

describe('The recipients of a direct message', () => {
  it.each<[string, boolean, Parameters<NotifiedPeople['add']>]>([
    ['is a person', true, []],
    ['is no bot', false, [{}, { isBot: true }]],
    ['is nobody who wants none', false, [{ isPushEnabled: false, isPushedChannels: true }]],
  ])('%s', async (_, expected, person) => {
    const reader = await people.add(...person);
    const messageId = idOf(await sendToPeople(sender, [reader]));
    expect(await people.triggerOf(reader, messageId)).toBe(expected ? 'direct' : null);
    expect(await people.onScreenOf(reader)).toEqual(expected ? [messageId] : []);
  });

  it('exclude accounts without a phone of their current key', async () => {
    const reader = await people.mail.organisation.addPerson();
    await people.addPhone(reader, { keyGeneration: 2 });
    await sendToPeople(sender, [reader]);
    expect(await people.of(reader)).toEqual([]);
    expect(await people.onScreenOf(reader)).toEqual([]);
  });

  it('exclude accounts that have muted the sender', async () => {
    const reader = await people.add();
    await reader.api.post(`/users/me/muted_users/${sender.id}`);
    await sendToPeople(sender, [reader]);
    expect(await people.of(reader)).toEqual([]);
  });

  it.each<[number | null, boolean, boolean]>([
    [null, false, true],
    [1, false, false],
    [190, false, false],
    [210, false, true],
    [100_000, false, true],
    [1, true, true],
  ])(
    'for an account active %s seconds ago with notifications while online (%s): %s',
    async (secondsAgo, isPushedOnline, expected) => {
      const reader = await people.add({ isPushedOnline });
      // An account is idle after its last activity, also if a client has reported since.
      await people.wasActive(reader, secondsAgo);
      const messageId = idOf(await sendToPeople(sender, [reader]));
      expect(await people.triggerOf(reader, messageId)).toBe(expected ? 'direct' : null);
    },
  );
});

type Subscription = Omit<Prisma.SubscriptionUncheckedCreateInput, 'channelId' | 'userId'>;

/** Sends to a channel with one other subscriber, and returns the trigger of the notification. */
async function triggerInChannel(
  content: (reader: Person) => string,
  { wishes = {}, subscription = {} as Subscription, visibility = 0 },
): Promise<string | null> {
  const reader = await people.add(wishes, { fullName: 'Rita Reader' });
  const channel = await people.mail.addChannel([sender]);
  await people.prisma.subscription.create({
    data: { channelId: channel.id, userId: reader.id, ...subscription },
  });
  const setting = { stream_id: channel.id, topic: 'Lunch', visibility_policy: visibility };
  if (visibility > 0) await reader.api.post('/user_topics', setting);
  const messageId = idOf(await sendToChannel(sender, channel, content(reader)));
  return people.triggerOf(reader, messageId);
}

type Case = [expected: string | null, wishes: object, subscription: Subscription];

describe('The recipients of a channel message', () => {
  it.each<Case>([
    [null, {}, {}],
    ['channel', { isPushedChannels: true }, {}],
    ['channel', { isPushedChannels: true, isPushEnabled: false }, {}],
    [null, { isPushedChannels: true }, { pushNotifications: false }],
    ['channel', {}, { pushNotifications: true }],
    [null, { isPushedChannels: true }, { isMuted: true }],
    [null, {}, { pushNotifications: true, isMuted: true }],
  ])('without a mention: %s for %j, subscribed with %j', async (expected, wishes, subscription) => {
    const trigger = await triggerInChannel(() => 'Soup at noon', { wishes, subscription });
    expect(trigger).toBe(expected);
  });

  it.each<Case>([
    ['mention', {}, {}],
    ['mention', {}, { isMuted: true, pushNotifications: false }],
    ['mention', { isPushedChannels: true }, {}],
    [null, { isPushEnabled: false }, {}],
    ['channel', { isPushEnabled: false, isPushedChannels: true }, {}],
  ])('with a mention: %s for %j, subscribed with %j', async (expected, wishes, subscription) => {
    const call = ({ id }: Person) => `@**Rita Reader|${id}** soup?`;
    expect(await triggerInChannel(call, { wishes, subscription })).toBe(expected);
  });

  it.each<Case>([
    ['wildcard_mention', {}, {}],
    ['wildcard_mention', { isPushedChannels: true }, {}],
    [null, { isPushedWildcards: false }, {}],
    ['wildcard_mention', { isPushedWildcards: false }, { wildcardMentions: true }],
    [null, {}, { wildcardMentions: false }],
    [null, {}, { wildcardMentions: true, isMuted: true }],
    [null, { isPushEnabled: false }, {}],
    ['channel', { isPushedWildcards: false, isPushedChannels: true }, {}],
  ])(
    'with a wildcard mention: %s for %j, subscribed with %j',
    async (expected, wishes, subscription) => {
      expect(await triggerInChannel(() => '@**all** soup', { wishes, subscription })).toBe(
        expected,
      );
    },
  );

  it.each<[string, string | null, number, object, Subscription]>([
    ['soup', null, 1, { isPushedChannels: true }, {}],
    ['@**all**', null, 1, {}, {}],
    ['@**Rita Reader**', 'mention', 1, {}, {}],
    ['soup', 'channel', 2, { isPushedChannels: true }, { isMuted: true }],
    ['@**all**', 'wildcard_mention', 2, {}, { isMuted: true }],
    ['soup', null, 2, {}, {}],
    ['soup', 'channel', 3, {}, {}],
    ['soup', 'channel', 3, {}, { isMuted: true, pushNotifications: false }],
    ['soup', null, 3, { displaySettings: { enable_followed_topic_push_notifications: false } }, {}],
    ['@**all**', 'wildcard_mention', 3, { isPushedWildcards: false }, {}],
  ])(
    'of "%s" have the trigger %s in a topic of the visibility %d, for %j, subscribed with %j',
    async (content, expected, visibility, wishes, subscription) => {
      const options = { wishes, subscription, visibility };
      const named = ({ id }: Person) => content.replace('Reader', `Reader|${id}`);
      expect(await triggerInChannel(named, options)).toBe(expected);
    },
  );

  it('have the smallest group that mentions them, and none with a mention by name', async () => {
    const [reader, named, other] = [
      await people.add(),
      await people.add({}, { fullName: 'Nora Named' }),
      await people.add(),
    ];
    await people.mail.addGroup([reader, named, other], { name: 'everybody here' });
    const cooks = await people.mail.addGroup([reader, named], { name: 'cooks' });
    const channel = await people.mail.addChannel([sender, reader, named]);
    const content = `@*everybody here* @*cooks* @**Nora Named|${named.id}**`;
    const messageId = idOf(await sendToChannel(sender, channel, content));
    expect((await people.of(reader)).map((one) => one.content)).toEqual([
      { kind: 'message', messageId, trigger: 'group_mention', groupId: cooks },
    ]);
    expect((await people.of(named)).map((one) => one.content)).toEqual([
      { kind: 'message', messageId, trigger: 'mention' },
    ]);
    expect(await people.of(other)).toEqual([]);
  });

  it('take the same number of statements for one and for many', async () => {
    const [reader, ...crowd] = await Promise.all(Array.from({ length: 60 }, () => people.add()));
    if (reader === undefined) throw new Error('Nobody was added');
    const [small, large] = [
      await people.mail.addChannel([sender, reader]),
      await people.mail.addChannel([sender, reader, ...crowd]),
    ];
    await sendToChannel(sender, small, '@**all**');
    await sendToChannel(sender, large, '@**all**');
    const forOne = await countStatements(() => sendToChannel(sender, small, '@**all**'));
    let messageId: unknown;
    const forMany = await countStatements(async () => {
      messageId = idOf(await sendToChannel(sender, large, '@**all**'));
    });
    expect(forMany).toBe(forOne);
    const triggers = await Promise.all(crowd.map((person) => people.triggerOf(person, messageId)));
    expect(triggers).toEqual(crowd.map(() => 'wildcard_mention'));
  });
});

describe('The order of notifications', () => {
  it('is the order of the messages of a conversation, also of concurrent ones', async () => {
    const reader = await people.add({ isPushedChannels: true });
    await people.addPhone(reader, { platform: 'apns' });
    const senders = [sender, ...(await people.mail.organisation.addPeople(3))];
    const channel = await people.mail.addChannel([reader, ...senders]);
    const sent: unknown[] = [];
    for (let round = 0; round < 5; round += 1) {
      const replies = await Promise.all(senders.map((person) => sendToChannel(person, channel)));
      sent.push(...replies.map(({ body }) => body['id']));
    }
    const contents = (await people.of(reader)).map(({ content }) => content);
    const inOrder = sent.map(Number).toSorted((one, other) => one - other);
    expect(contents).toEqual(
      inOrder.map((messageId) => ({ kind: 'message', messageId, trigger: 'channel' })),
    );
  });
});
