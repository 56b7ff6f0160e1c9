import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, idOf, success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { Correspondence, sendToChannel } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const ada = useFixture(() => mail.organisation.addPerson({ fullName: 'Ada' }));
const bea = useFixture(() => mail.organisation.addPerson({ fullName: 'Bea' }));
const moderator = useFixture(() => mail.organisation.addPerson({ role: roles.moderator }));

type Channel = Awaited<ReturnType<Correspondence['addChannel']>>;

const prisma = () => system.database.database.prisma;
const send = async (channel: Channel, topic = 'lunch', who = ada) =>
  idOf(await sendToChannel(who, channel, 'Hello', topic));
const move = (who: Person, id: number, fields: Record<string, unknown>) =>
  who.api.patch(`/messages/${id}`, { send_notification_to_new_thread: false, ...fields });
const messageOf = async (who: Person, id: number) =>
  (await who.api.get(`/messages/${id}`)).body['message'] as Record<string, unknown>;
const capable = {
  client_capabilities: { bulk_message_deletion: true, empty_topic_name: true },
};
/** The contents of the messages of a topic, in order, with their sources. */
async function contentsOf(channel: Channel, topic: string): Promise<string[]> {
  const where = { channelId: channel.id, topic };
  const rows = await prisma().message.findMany({ where, orderBy: { id: 'asc' } });
  return rows.map(({ content }) => content);
}

const ageOf = (id: number, days: number) =>
  prisma().message.update({
    where: { id },
    data: { sentAt: new Date(Date.now() - days * 86_400_000) },
  });

describe('PATCH /messages/{message_id} with a topic', () => {
  it('moves one message, and sends events to all readers', async () => {
    const channel = await mail.addChannel([ada, bea]);
    const [id, other] = [await send(channel, ''), await send(channel, '')];
    const [old, modern] = [
      await EventClient.register(ada.api),
      await EventClient.register(bea.api, capable),
    ];
    expect(await move(bea, id, { topic: 'dinner' })).toMatchObject(success);
    const event = {
      id: expect.any(Number),
      type: 'update_message',
      user_id: bea.id,
      edit_timestamp: expect.any(Number),
      message_id: id,
      message_ids: [id],
      rendering_only: false,
      stream_id: channel.id,
      stream_name: channel.name,
      propagate_mode: 'change_one',
      orig_subject: '',
      subject: 'dinner',
      topic_links: [],
    };
    expect(await old.drain()).toEqual([
      { ...event, orig_subject: 'general chat', flags: ['read'] },
    ]);
    expect(await modern.drain()).toEqual([{ ...event, flags: [] }]);
    expect(await messageOf(ada, id)).toMatchObject({
      subject: 'dinner',
      last_moved_timestamp: expect.any(Number),
      edit_history: [{ user_id: bea.id, prev_topic: 'general chat', topic: 'dinner' }],
    });
    expect(await messageOf(ada, id)).not.toHaveProperty('last_edit_timestamp');
    expect(await messageOf(ada, other)).toMatchObject({ subject: 'general chat' });
  });

  it.each([
    ['change_later', [false, true, true]],
    ['change_all', [true, true, true]],
  ])('moves others of the topic, whatever its case: %s', async (mode, moved) => {
    const channel = await mail.addChannel([ada]);
    const ids = [await send(channel), await send(channel, 'Lunch'), await send(channel, 'LUNCH')];
    const elsewhere = await send(channel, 'other');
    const client = await EventClient.register(ada.api);
    await move(ada, ids[1] ?? 0, { topic: 'dinner', propagate_mode: mode });
    const expected = ids.filter((_, index) => moved[index]);
    expect(await client.drain()).toMatchObject([
      { message_id: ids[1], message_ids: expected, orig_subject: 'Lunch', propagate_mode: mode },
    ]);
    for (const [index, id] of ids.entries()) {
      const { subject } = await messageOf(ada, id);
      expect(subject === 'dinner').toBe(moved[index]);
    }
    expect(await messageOf(ada, elsewhere)).toMatchObject({ subject: 'other' });
  });

  it('edits the content of the given message as well', async () => {
    const channel = await mail.addChannel([ada]);
    const ids = [await send(channel), await send(channel)];
    const fields = { topic: 'dinner', propagate_mode: 'change_all', content: 'New' };
    expect(await move(ada, ids[0] ?? 0, fields)).toMatchObject(success);
    expect(await contentsOf(channel, 'dinner')).toEqual(['New', 'Hello']);
    expect((await messageOf(ada, ids[0] ?? 0))['edit_history']).toMatchObject([
      { prev_content: 'Hello', prev_topic: 'lunch', topic: 'dinner' },
    ]);
  });

  it('sends the contents only to readers of the edited message', async () => {
    const channel = await mail.addChannel([ada, moderator], { isPrivate: true });
    const id = await send(channel);
    await prisma().subscription.create({ data: { channelId: channel.id, userId: bea.id } });
    const later = await send(channel, 'lunch', moderator);
    const [reader, late] = [
      await EventClient.register(moderator.api),
      await EventClient.register(bea.api),
    ];
    const fields = { topic: 'dinner', propagate_mode: 'change_all', content: 'New' };
    expect(await move(ada, id, fields)).toMatchObject(success);
    const moved = { message_ids: [id, later], subject: 'dinner' };
    expect(await reader.drain()).toMatchObject([
      { ...moved, orig_content: 'Hello', content: 'New' },
    ]);
    const events = await late.drain();
    expect(events).toMatchObject([moved]);
    expect(JSON.stringify(events)).not.toContain('content');
  });

  it('resolves a topic with a notice', async () => {
    const channel = await mail.addChannel([ada, bea]);
    const id = await send(channel);
    await ageOf(id, 30);
    const resolve = { topic: '✔ lunch', propagate_mode: 'change_all' };
    await move(bea, id, { ...resolve, send_notification_to_new_thread: true });
    const by = `@_**Bea|${bea.id}**`;
    expect(await contentsOf(channel, '✔ lunch')).toEqual([
      'Hello',
      `${by} has marked this topic as resolved.`,
    ]);
    await move(bea, id, { topic: 'lunch', propagate_mode: 'change_all' });
    expect((await contentsOf(channel, 'lunch')).at(-1)).toBe(
      `${by} has marked this topic as unresolved.`,
    );
  });

  it('is known to the mover, and resolving is news for followers only', async () => {
    const people = await mail.organisation.addPeople(4);
    const [mover, , follower, muter] = people as [Person, Person, Person, Person];
    const channel = await mail.addChannel(people);
    const id = idOf(await sendToChannel(mover, channel, 'Hello', 'lunch'));
    const see = (person: Person, topic: string, visibility: number) =>
      person.api.post('/user_topics', {
        stream_id: channel.id,
        topic,
        visibility_policy: visibility,
      });
    await see(follower, 'Lunch', 3);
    await see(muter, 'lunch', 1);
    /** Whether the newest message of the channel is read, for each of the people. */
    const isRead = async (count: number) => {
      const sent = await prisma().message.findMany({
        where: { channelId: channel.id },
        orderBy: { id: 'desc' },
      });
      expect(sent).toHaveLength(count);
      const received = await mail.received(sent[0]?.id);
      return people.map((person) => received.get(person.id)?.isRead);
    };
    await move(mover, id, { topic: '✔ lunch', propagate_mode: 'change_all' });
    expect(await isRead(2)).toEqual([true, true, false, true]);
    const told = { send_notification_to_new_thread: true };
    await move(mover, id, { topic: 'dinner', propagate_mode: 'change_all', ...told });
    expect(await isRead(3)).toEqual([true, false, false, false]);
    await move(mover, id, { topic: '✔ dinner', ...told });
    expect(await isRead(4)).toEqual([true, false, false, false]);
  });

  it('moves the settings of users with all messages of the topic', async () => {
    const channel = await mail.addChannel([ada, bea]);
    const [id, last] = [await send(channel), await send(channel)];
    const follow = { stream_id: channel.id, topic: 'lunch', visibility_policy: 3 };
    await bea.api.post('/user_topics', follow);
    const client = await EventClient.register(bea.api, { event_types: ['user_topic'] });
    await move(ada, id, { topic: 'dinner' });
    expect(await client.drain()).toEqual([]);
    await move(ada, last, { topic: 'dinner' });
    expect(await client.drain()).toMatchObject([
      { topic_name: 'lunch', visibility_policy: 0 },
      { topic_name: 'dinner', visibility_policy: 3 },
    ]);
  });

  it('leaves notices where the client asks for them', async () => {
    const channel = await mail.addChannel([ada]);
    const [id] = [await send(channel), await send(channel)];
    const by = `@_**Ada|${ada.id}**`;
    const both = { send_notification_to_new_thread: true, send_notification_to_old_thread: true };
    await move(ada, id ?? 0, { topic: 'dinner', ...both });
    expect((await contentsOf(channel, 'dinner')).at(-1)).toBe(
      `A message was moved here from #**${channel.name}>lunch** by ${by}.`,
    );
    expect((await contentsOf(channel, 'lunch')).at(-1)).toBe(
      `A message was moved from this topic to #**${channel.name}>dinner** by ${by}.`,
    );
    await move(ada, id ?? 0, { topic: 'tea', propagate_mode: 'change_all', ...both });
    expect((await contentsOf(channel, 'tea')).at(-1)).toBe(
      `This topic was moved here from #**${channel.name}>dinner** by ${by}.`,
    );
  });

  it('has a time limit for members', async () => {
    const channel = await mail.addChannel([ada, moderator]);
    const [old, recent] = [await send(channel), await send(channel)];
    await ageOf(old, 8);
    const tooOld = badRequest("The time limit for editing this message's topic has passed.");
    expect(await move(ada, old, { topic: 'dinner' })).toMatchObject(tooOld);
    const all = { topic: 'dinner', propagate_mode: 'change_all' };
    expect(await move(ada, recent, all)).toMatchObject({
      status: 400,
      body: {
        code: 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
        msg: 'You only have permission to move the 1/2 most recent messages in this topic.',
        first_message_id_allowed_to_move: recent,
        total_messages_in_topic: 2,
        total_messages_allowed_to_move: 1,
      },
    });
    expect((await move(ada, old, all)).body).toMatchObject({ total_messages_allowed_to_move: 1 });
    expect(await move(ada, recent, { ...all, propagate_mode: 'change_later' })).toMatchObject(
      success,
    );
    expect(await move(ada, old, all)).toMatchObject(tooOld);
    expect(await move(moderator, old, { topic: 'dinner' })).toMatchObject(success);
  });

  it('refuses what the channel or the request does not allow', async () => {
    const nobody = await mail.addGroup([]);
    const readOnly = await mail.addChannel([ada, bea]);
    const id = await send(readOnly);
    await prisma().channel.update({
      where: { id: readOnly.id },
      data: { canSendMessageId: nobody },
    });
    expect(await move(bea, id, { topic: 'x' })).toMatchObject(
      badRequest("You don't have permission to move this message"),
    );
    const fixed = await mail.addChannel([ada], { canCreateTopicId: nobody });
    await prisma().message.create({
      data: {
        realmId: mail.organisation.id,
        senderId: ada.id,
        channelId: fixed.id,
        topic: 'known',
        content: '',
      },
    });
    const inFixed = await send(fixed, 'known');
    expect(await move(ada, inFixed, { topic: 'x' })).toMatchObject(
      badRequest(`Not authorized to create new topics in channel '${fixed.name}'`),
    );
    expect(await move(ada, inFixed, { topic: 'known' })).toMatchObject(
      badRequest('Nothing to change'),
    );
    const named = await mail.addChannel([ada], { topicsPolicy: 'disable_empty_topic' });
    expect(await move(ada, await send(named), { topic: 'general chat' })).toMatchObject(
      badRequest('Sending messages to the general chat is not allowed in this channel.'),
    );
  });

  it('moves at most 10000 messages', async () => {
    const channel = await mail.addChannel([moderator]);
    const message = { realmId: mail.organisation.id, senderId: ada.id, channelId: channel.id };
    await prisma().message.createMany({
      data: Array.from({ length: 10_000 }, () => ({ ...message, topic: 'lunch', content: 'x' })),
    });
    const newest = await send(channel, 'lunch', moderator);
    const fields = { topic: 'dinner', propagate_mode: 'change_all' };
    expect(await move(moderator, newest, fields)).toMatchObject({
      status: 400,
      body: { code: 'LIMIT_REACHED', msg: 'At most 10000 messages can be moved at once.' },
    });
    await moderator.api.delete(`/messages/${newest}`);
    const [{ id } = { id: 0n }] = await prisma().message.findMany({
      where: { channelId: channel.id },
      take: 1,
    });
    expect(await move(moderator, Number(id), fields)).toMatchObject(success);
    expect(
      await prisma().message.count({ where: { topic: 'dinner', channelId: channel.id } }),
    ).toBe(10_000);
  });

  it('leaves no message of the topic behind that is sent at the same time', async () => {
    const channel = await mail.addChannel([ada]);
    const id = await send(channel);
    const client = await EventClient.register(ada.api);
    const [, ...sent] = await Promise.all([
      move(ada, id, { topic: 'dinner', propagate_mode: 'change_all' }),
      ...Array.from({ length: 5 }, () => send(channel)),
    ]);
    const events = await client.drain();
    const moved = events.findIndex(({ type }) => type === 'update_message');
    const arrived = (messageId: number) =>
      events.findIndex(({ message }) => Object(message).id === messageId);
    for (const messageId of sent) {
      const isBefore = arrived(messageId) < moved;
      expect((await messageOf(ada, messageId))['subject']).toBe(isBefore ? 'dinner' : 'lunch');
    }
  });
});
