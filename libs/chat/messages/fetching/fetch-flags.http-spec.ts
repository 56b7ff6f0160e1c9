import { describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { countStatements } from '#test/count-statements';
import { EventClient } from '#test/event-client';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const ada = useFixture(() => mail.organisation.addPerson());

const idIn = async (reply: ReturnType<typeof sendToChannel>) => Number((await reply).body['id']);
const isRead = async (who: Person, id: number) => (await mail.received(id)).get(who.id)?.isRead;

const addReader = async () => {
  const reader = await mail.organisation.addPerson();
  const channel = await mail.addChannel([ada, reader]);
  return { reader, channel };
};

describe('POST /messages/flags/narrow', () => {
  const change = (who: Person, fields: object) =>
    who.api.post('/messages/flags/narrow', {
      anchor: 'oldest',
      num_before: 0,
      num_after: 1000,
      op: 'add',
      flag: 'read',
      ...fields,
    });

  it('changes the messages of a range and counts them', async () => {
    const { reader, channel } = await addReader();
    const ids = [];
    for (let count = 0; count < 4; count += 1) ids.push(await idIn(sendToChannel(ada, channel)));
    const [one = 0, two = 0, , four = 0] = ids;
    const narrow = [['is', 'unread']];
    expect((await change(reader, { narrow, num_after: 2 })).body).toEqual({
      result: 'success',
      msg: '',
      processed_count: 2,
      updated_count: 2,
      first_processed_id: one,
      last_processed_id: two,
      found_oldest: true,
      found_newest: false,
      ignored_because_not_subscribed_channels: [],
    });
    expect(await isRead(reader, two)).toBe(true);
    expect(await isRead(reader, four)).toBe(false);
    const all = [{ operator: 'channel', operand: channel.id }];
    expect((await change(reader, { narrow: all })).body).toMatchObject({
      processed_count: 4,
      updated_count: 2,
      found_newest: true,
    });
    const behind = { anchor: two, include_anchor: false, narrow: all, flag: 'starred' };
    expect((await change(reader, behind)).body).toMatchObject({
      processed_count: 2,
      updated_count: 2,
      last_processed_id: four,
    });
    expect((await change(reader, { narrow })).body).toMatchObject({
      processed_count: 0,
      first_processed_id: null,
      last_processed_id: null,
    });
  });

  it('leaves messages of other channels read, and names the channels', async () => {
    const { reader, channel } = await addReader();
    const id = await idIn(sendToChannel(ada, channel));
    await change(reader, {});
    const key = { channelId_userId: { channelId: channel.id, userId: reader.id } };
    const { prisma } = system.database.database;
    await prisma.subscription.update({ where: key, data: { isActive: false } });
    expect((await change(reader, { op: 'remove' })).body).toMatchObject({
      processed_count: 1,
      updated_count: 0,
      ignored_because_not_subscribed_channels: [channel.id],
    });
    expect(await isRead(reader, id)).toBe(true);
  });

  it.each<[object, string]>([
    [{ anchor: 'x' }, 'Invalid anchor'],
    [{ op: 'x' }, "Invalid message flag operation: 'x'"],
    [{ flag: 'mentioned' }, "Flag not editable: 'mentioned'"],
    [{ narrow: [['x', 'x']] }, 'Invalid narrow operator: unknown operator x'],
    [
      { anchor: 5, num_before: 1, include_anchor: false },
      'The anchor can only be excluded at an end of the range',
    ],
  ])('refuses %j', async (fields, msg) => {
    expect(await change(ada, fields)).toMatchObject({ status: 400, body: { msg } });
  });

  it('takes more than the largest range for the largest', async () => {
    expect(await change(ada, { num_before: 9_999_999, num_after: 9_999_999 })).toMatchObject(
      success,
    );
  });
});

describe('POST /mark_topic_as_read', () => {
  it('marks the messages of one topic, in any case', async () => {
    const { reader, channel } = await addReader();
    const mark = (topic_name: string, stream_id = channel.id) =>
      reader.api.post('/mark_topic_as_read', { stream_id, topic_name });
    const one = await idIn(sendToChannel(ada, channel, 'Hello', 'Lunch'));
    const empty = await idIn(sendToChannel(ada, channel, 'Hello', '(no topic)'));
    expect(await mark('dinner')).toMatchObject({
      status: 400,
      body: { msg: "No such topic 'dinner'" },
    });
    expect(await mark('lunch', 0)).toMatchObject({ body: { msg: 'Invalid channel ID' } });
    expect(await mark('lUNCH')).toMatchObject({ status: 200 });
    expect([await isRead(reader, one), await isRead(reader, empty)]).toEqual([true, false]);
    expect(await mark('general chat')).toMatchObject({ status: 200 });
    expect(await isRead(reader, empty)).toBe(true);
  });

  it('marks an unread message before ten thousand that the account has not received', async () => {
    const { reader, channel } = await addReader();
    const id = await idIn(sendToChannel(ada, channel, 'Hello', 'Lunch'));
    await system.database.database.prisma.$executeRaw`
      INSERT INTO messages (realm_id, sender_id, channel_id, topic, content)
      SELECT realm_id, sender_id, channel_id, topic, content
      FROM messages CROSS JOIN generate_series(1, 10000) WHERE id = ${id}`;
    const mark = () =>
      reader.api.post('/mark_topic_as_read', { stream_id: channel.id, topic_name: 'Lunch' });
    expect(await mark()).toMatchObject({ status: 200 });
    expect(await isRead(reader, id)).toBe(true);
    expect(await mark()).toMatchObject({ status: 400 });
  });
});

/** A new message, or a change of read flags, as an event. */
interface Change {
  readonly message?: { readonly id: number };
  readonly flags?: readonly string[];
  readonly all?: boolean;
  readonly messages?: readonly number[];
}

/** The ids of unread messages in a registration; the reader has no group conversation. */
const unreadIn = (state: Readonly<Record<string, unknown>>): number[] => {
  const { pms, streams } = state['unread_msgs'] as Record<
    'pms' | 'streams',
    { readonly unread_message_ids: number[] }[]
  >;
  return [...pms, ...streams].flatMap(({ unread_message_ids }) => unread_message_ids).toSorted();
};

describe('POST /mark_all_as_read', () => {
  const mark = (who: Person) => who.api.post('/mark_all_as_read');

  it('marks everything with one event, and sends none without unread messages', async () => {
    const { reader, channel } = await addReader();
    const ids = [await idIn(sendToChannel(ada, channel)), await idIn(sendToPeople(ada, [reader]))];
    const client = await EventClient.register(reader.api, {
      event_types: ['update_message_flags'],
    });
    expect((await mark(reader)).body).toEqual({ result: 'success', msg: '', complete: true });
    for (const id of ids) expect(await isRead(reader, id)).toBe(true);
    await mark(reader);
    expect(await client.drain()).toMatchObject([
      { op: 'add', flag: 'read', messages: [], all: true },
    ]);
  });

  it('leaves clients with the stored state while messages arrive', async () => {
    const { reader, channel } = await addReader();
    const fields = { event_types: ['message', 'update_message_flags'] };
    const client = await EventClient.register(reader.api, fields);
    const unread = new Set(unreadIn(client.state));
    const sending = Array.from({ length: 30 }, (_, count) =>
      count % 2 ? sendToChannel(ada, channel) : sendToPeople(ada, [reader]),
    );
    const marking = Array.from({ length: 6 }, () => mark(reader));
    const replies = await Promise.all([...sending, ...marking]);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    for (const { message, flags, all, messages } of (await client.drain()) as Change[]) {
      if (message && !flags?.includes('read')) unread.add(message.id);
      if (all) unread.clear();
      for (const id of messages ?? []) unread.delete(id);
    }
    const fresh = await EventClient.register(reader.api, fields);
    expect([...unread].toSorted()).toEqual(unreadIn(fresh.state));
  });

  it('takes no statement for each message', async () => {
    const { reader, channel } = await addReader();
    for (let count = 0; count < 10; count += 1) await sendToChannel(ada, channel);
    await reader.api.get('/users/me');
    expect(await countStatements(() => mark(reader))).toBeLessThanOrEqual(7);
  });
});
