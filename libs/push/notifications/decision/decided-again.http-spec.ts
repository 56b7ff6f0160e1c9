import { beforeEach, describe, expect, it } from '@jest/globals';
import { idOf } from '#test/answers';
import { NotifiedPeople } from '#test/message-notifications-world';
import { sendToChannel } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const people = useFixture(() => NotifiedPeople.in(system));
const sender = useFixture(() => people.add({}, { role: 200 }));
let reader: Person;
let channel: { readonly id: number };
beforeEach(async () => {
  reader = await people.add({ isPushedChannels: true }, { fullName: `Rita ${Math.random()}` });
  channel = await people.mail.addChannel([sender, reader]);
});

const VISIBILITY = { muted: 1, unmuted: 2, followed: 3 };

const see = (visibility: keyof typeof VISIBILITY, topic = 'lunch') =>
  reader.api.post('/user_topics', {
    stream_id: channel.id,
    topic,
    visibility_policy: VISIBILITY[visibility],
  });
const setOfChannel = (property: string, value: boolean) =>
  reader.api.post('/users/me/subscriptions/properties', {
    subscription_data: [{ stream_id: channel.id, property, value }],
  });
const settings = (given: Readonly<Record<string, boolean>>) => reader.api.patch('/settings', given);
const send = async (content = 'soup', topic = 'lunch') =>
  idOf(await sendToChannel(sender, channel as never, content, topic));
const edit = (messageId: number, given: Readonly<Record<string, unknown>>) =>
  sender.api.patch(`/messages/${messageId}`, given);
const mention = async () => {
  const { fullName } = await people.prisma.user.findUniqueOrThrow({ where: { id: reader.id } });
  return `@**${fullName}** soup`;
};

/** The messages on the phones of the reader, and the removed ones. */
const shown = () => people.onScreenOf(reader);
const removed = async () =>
  (await people.of(reader))
    .filter(({ kind }) => kind === 'remove')
    .flatMap(({ content }) => (content as { messageIds: number[] }).messageIds);
const decidedFrom = async () => {
  const row = await people.prisma.pushDeferral.findUnique({ where: { userId: reader.id } });
  return row === null ? null : Number(row.fromMessageId);
};

describe('A mention that is edited out', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['of a muted topic, with notifications of the channel', () => see('muted')],
    ['of a muted channel, with notifications of the channel', () => setOfChannel('is_muted', true)],
    [
      'of a followed topic without notifications of followed topics',
      async () => {
        await settings({
          enable_stream_push_notifications: false,
          enable_followed_topic_push_notifications: false,
        });
        await see('followed');
      },
    ],
    [
      'of a channel without notifications',
      () => settings({ enable_stream_push_notifications: false }),
    ],
  ])('is taken back: %s', async (_, prepare) => {
    await prepare();
    const messageId = await send(await mention());
    expect(await shown()).toEqual([messageId]);
    await edit(messageId, { content: 'soup' });
    expect(await shown()).toEqual([]);
    expect(await removed()).toEqual([messageId]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['with notifications of the channel', async () => undefined],
    [
      'of an unmuted topic of a muted channel',
      async () => {
        await setOfChannel('is_muted', true);
        await see('unmuted');
      },
    ],
  ])('stays: %s', async (_, prepare) => {
    await prepare();
    const messageId = await send(await mention());
    await edit(messageId, { content: 'soup' });
    expect(await shown()).toEqual([messageId]);
    expect(await removed()).toEqual([]);
  });
});

describe('A shown message', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['the topic is muted', () => see('muted')],
    ['the channel is muted', () => setOfChannel('is_muted', true)],
    ['the notifications of the channel end', () => setOfChannel('push_notifications', false)],
    [
      'the account wants no notifications of channels',
      () => settings({ enable_stream_push_notifications: false }),
    ],
    [
      'it is moved to a muted topic',
      async () => {
        await see('muted', 'noise');
        const [messageId] = await shown();
        await edit(Number(messageId), { topic: 'noise', propagate_mode: 'change_one' });
      },
    ],
    [
      'it is moved to a muted channel',
      async () => {
        const other = await people.mail.addChannel([sender, reader]);
        await reader.api.post('/users/me/subscriptions/properties', {
          subscription_data: [{ stream_id: other.id, property: 'is_muted', value: true }],
        });
        const [messageId] = await shown();
        await edit(Number(messageId), { stream_id: other.id, propagate_mode: 'change_all' });
      },
    ],
  ])('is taken back when %s', async (_, change) => {
    const messageId = await send();
    expect(await shown()).toEqual([messageId]);
    await change();
    expect(await shown()).toEqual([]);
    expect(await removed()).toEqual([messageId]);
  });

  it('stays when another topic or channel is muted', async () => {
    const messageId = await send();
    await see('muted', 'noise');
    const other = await people.mail.addChannel([sender, reader]);
    await reader.api.post('/users/me/subscriptions/properties', {
      subscription_data: [{ stream_id: other.id, property: 'is_muted', value: true }],
    });
    expect(await shown()).toEqual([messageId]);
    expect(await removed()).toEqual([]);
  });
});

describe('An unread message that was not wanted', () => {
  it.each<[string, () => Promise<unknown>, (messageId: number) => Promise<unknown>]>([
    ['the topic is unmuted', () => see('muted'), () => see('unmuted')],
    [
      'the channel is unmuted',
      () => setOfChannel('is_muted', true),
      () => setOfChannel('is_muted', false),
    ],
    [
      'the account wants notifications of channels',
      () => settings({ enable_stream_push_notifications: false }),
      () => settings({ enable_stream_push_notifications: true }),
    ],
    [
      'it is moved out of a muted topic',
      () => see('muted'),
      // The setting of a topic moves with its last message.
      async (messageId) => {
        await send('stays', 'lunch');
        await edit(messageId, { topic: 'news', propagate_mode: 'change_one' });
      },
    ],
    [
      'it is moved out of a muted channel',
      () => setOfChannel('is_muted', true),
      async (messageId) => {
        const other = await people.mail.addChannel([sender, reader]);
        await edit(messageId, { stream_id: other.id, propagate_mode: 'change_all' });
      },
    ],
  ])('is decided again when %s', async (_, refuse, want) => {
    await refuse();
    const messageId = await send();
    expect(await people.of(reader)).toEqual([]);
    expect(await decidedFrom()).toBeNull();
    await want(messageId);
    expect(await decidedFrom()).toBe(messageId);
  });

  it('is not, if it is older than an hour', async () => {
    await see('muted');
    const messageId = await send();
    const sentAt = new Date(Date.now() - 3_700_000);
    await people.prisma.message.update({ where: { id: messageId }, data: { sentAt } });
    await see('unmuted');
    expect(await decidedFrom()).toBeNull();
  });

  it('is not, if it is a notice that notifies nobody', async () => {
    const messageId = await send();
    await see('muted');
    await edit(messageId, { topic: 'dinner', send_notification_to_new_thread: true });
    await see('muted', 'dinner');
    await reader.api.post('/mark_all_as_read');
    const silent = await people.prisma.message.findMany({
      where: { channelId: channel.id, isSilent: true },
    });
    expect(silent.length).toBeGreaterThan(0);
    await people.prisma.userMessage.updateMany({
      where: { userId: reader.id, messageId: { in: silent.map(({ id }) => id) } },
      data: { isRead: false },
    });
    await see('unmuted', 'dinner');
    expect(await decidedFrom()).toBeNull();
  });
});
