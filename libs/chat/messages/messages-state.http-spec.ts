import { beforeAll, describe, expect, it } from '@jest/globals';
import { idOf } from '#test/answers';
import { VisibleUsersRepository } from '#directory/guest-access';
import { EventLog, EventRepository } from '#events/log';
import { countStatements } from '#test/count-statements';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { optionsWith } from '#test/queue-options';
import { RecordedEvents } from '#test/recorded-events';
import { useGateway } from '#test/start-gateway';
import { MessageStateRepository } from './events/message-state.repository.js';
import { MessageEvents } from './messages.events.js';

const system = useGateway();
let mail: Correspondence;
let sender: Person;
let third: Person;
let recorded: RecordedEvents;
let sut: MessageEvents;

beforeAll(async () => {
  const { database } = system.database;
  mail = await Correspondence.in(system);
  sender = await mail.organisation.addPerson();
  third = await mail.organisation.addPerson();
  recorded = new RecordedEvents(system, mail.organisation);
  sut = new MessageEvents(
    new MessageStateRepository(),
    new VisibleUsersRepository(database),
    new EventLog(new EventRepository(database)),
    new URL('http://127.0.0.1'),
  );
});

const prisma = () => system.database.database.prisma;
const addPerson = () => mail.organisation.addPerson({ fullName: 'Rita Reader' });
const stateOf = (person: Person, fetchTypes?: readonly string[]) =>
  recorded.stateOf(sut, person, optionsWith('empty_topic_name'), fetchTypes);
const unreadOf = async (person: Person) => (await stateOf(person))['unread_msgs'];

/** Stores many messages without events. */
const addMessages = (
  place: { readonly channelId?: number; readonly conversationId?: number },
  { id: readerId }: Person,
  count: number,
  flags: { readonly isRead?: boolean; readonly isStarred?: boolean } = {},
) =>
  prisma().$executeRaw`
    WITH stored AS (
      INSERT INTO messages (realm_id, sender_id, channel_id, conversation_id, topic, content)
      SELECT ${mail.organisation.id}, ${sender.id}, ${place.channelId ?? null}::int,
        ${place.conversationId ?? null}::int, '', 'Hello'
      FROM generate_series(1, ${count}::int)
      RETURNING id
    )
    INSERT INTO user_messages (user_id, message_id, is_read, is_starred)
    SELECT ${readerId}, id, ${flags.isRead ?? false}, ${flags.isStarred ?? false} FROM stored`;

const conversationOf = async (messageId: number) => {
  const { conversationId } = await prisma().message.findUniqueOrThrow({ where: { id: messageId } });
  if (conversationId === null) throw new Error('This is a message of a channel');
  return conversationId;
};

describe('The state of an account without messages', () => {
  it('is empty', async () => {
    expect(await stateOf(await addPerson())).toEqual({
      max_message_id: -1,
      starred_messages: [],
      recent_private_conversations: [],
      unread_msgs: {
        count: 0,
        pms: [],
        streams: [],
        huddles: [],
        mentions: [],
        old_unreads_missing: false,
      },
    });
  });

  it('has only what the client asked for', async () => {
    const person = await addPerson();
    expect(Object.keys(await stateOf(person, ['message']))).toEqual(['max_message_id']);
    expect(await stateOf(person, ['update_message_flags'])).toEqual({});
    const both = await stateOf(person, ['message', 'update_message_flags']);
    expect(Object.keys(both)).toEqual(['max_message_id', 'unread_msgs']);
  });
});

describe('The newest and the starred messages', () => {
  it('are those of the account', async () => {
    const person = await addPerson();
    const early = idOf(await sendToChannel(sender, await mail.addChannel([sender])));
    const first = idOf(await sendToPeople(sender, [person]));
    const second = idOf(await sendToPeople(sender, [person]));
    const later = idOf(await sendToChannel(sender, await mail.addChannel([sender])));
    const messages = [second, later, early];
    await person.api.post('/messages/flags', { messages, op: 'add', flag: 'starred' });
    await person.api.post('/messages/flags', { messages: [first], op: 'add', flag: 'collapsed' });
    expect(await stateOf(person)).toMatchObject({
      max_message_id: second,
      starred_messages: [early, second, later],
    });
  });

  it('are the newest 10,000 starred ones', async () => {
    const person = await addPerson();
    const { id: channelId } = await mail.addChannel([sender, person]);
    await addMessages({ channelId }, person, 10_005, { isStarred: true });
    const ids = (await stateOf(person))['starred_messages'] as number[];
    expect(ids).toHaveLength(10_000);
    expect(ids.at(-1)).toBe((await stateOf(person))['max_message_id']);
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
  });
});

describe('The recent conversations', () => {
  it('have the other members, newest first', async () => {
    const person = await addPerson();
    await sendToPeople(sender, [person]);
    const group = idOf(await sendToPeople(sender, [person, third]));
    const own = idOf(await sendToPeople(person, [person]));
    const pair = idOf(await sendToPeople(person, [sender]));
    await sendToChannel(sender, await mail.addChannel([sender, person]));
    expect(await stateOf(person)).toMatchObject({
      recent_private_conversations: [
        { max_message_id: pair, user_ids: [sender.id] },
        { max_message_id: own, user_ids: [] },
        { max_message_id: group, user_ids: [sender.id, third.id] },
      ],
    });
  });

  it('are those of the newest 1000 direct messages', async () => {
    const person = await addPerson();
    const [old, recent] = [
      idOf(await sendToPeople(sender, [person, third])),
      idOf(await sendToPeople(sender, [person])),
    ];
    const conversationId = await conversationOf(recent);
    await addMessages({ conversationId }, person, 998);
    const usersOf = async () => {
      const list = (await stateOf(person))['recent_private_conversations'];
      return (list as { readonly user_ids: readonly number[] }[]).map(({ user_ids }) => user_ids);
    };
    expect(await usersOf()).toEqual([[sender.id], [sender.id, third.id]]);
    await sendToPeople(sender, [person]);
    expect(await usersOf()).toEqual([[sender.id]]);
    expect(old).toBeLessThan(recent);
  });
});

describe('The unread messages', () => {
  it('are grouped by conversation and topic', async () => {
    const person = await addPerson();
    const [channel, other] = [
      await mail.addChannel([sender, person]),
      await mail.addChannel([sender, person]),
    ];
    const direct = idOf(await sendToPeople(sender, [person]));
    const again = idOf(await sendToPeople(sender, [person]));
    const group = idOf(await sendToPeople(sender, [person, third]));
    const lower = idOf(await sendToChannel(sender, channel, 'Hi', 'lunch'));
    const upper = idOf(
      await sendToChannel(sender, channel, `@**Rita Reader|${person.id}**`, 'LUNCH'),
    );
    const empty = idOf(await sendToChannel(sender, channel, '@**all**', ''));
    const elsewhere = idOf(await sendToChannel(sender, other, 'Hi', 'lunch'));
    const read = idOf(await sendToChannel(sender, other, 'Hi', 'lunch'));
    await person.api.post('/messages/flags', { messages: [read], op: 'add', flag: 'read' });
    expect(await unreadOf(person)).toEqual({
      count: 7,
      pms: [
        { other_user_id: sender.id, sender_id: sender.id, unread_message_ids: [direct, again] },
      ],
      streams: [
        { stream_id: channel.id, topic: '', unread_message_ids: [empty] },
        { stream_id: channel.id, topic: 'LUNCH', unread_message_ids: [lower, upper] },
        { stream_id: other.id, topic: 'lunch', unread_message_ids: [elsewhere] },
      ],
      huddles: [
        {
          user_ids_string: [sender.id, third.id, person.id].toSorted((a, b) => a - b).join(','),
          unread_message_ids: [group],
        },
      ],
      mentions: [upper, empty],
      old_unreads_missing: false,
    });
  });

  it('of muted channels are listed but not counted, those of left channels are left out', async () => {
    const person = await addPerson();
    const [muted, left] = [
      await mail.addChannel([sender, person]),
      await mail.addChannel([sender, person]),
    ];
    const mention = `@**Rita Reader|${person.id}**`;
    const plain = idOf(await sendToChannel(sender, muted, '@**all**'));
    const personal = idOf(await sendToChannel(sender, muted, mention));
    await sendToChannel(sender, left, mention);
    const where = ({ id: channelId }: { readonly id: number }) => ({
      channelId_userId: { channelId, userId: person.id },
    });
    await prisma().subscription.update({ where: where(muted), data: { isMuted: true } });
    await prisma().subscription.update({ where: where(left), data: { isActive: false } });
    expect(await unreadOf(person)).toMatchObject({
      count: 0,
      streams: [{ stream_id: muted.id, unread_message_ids: [plain, personal] }],
      mentions: [personal],
    });
  });

  it('of archived channels are only for clients that know of these', async () => {
    const person = await addPerson();
    const channel = await mail.addChannel([sender, person]);
    const id = idOf(await sendToChannel(sender, channel));
    await prisma().channel.update({
      where: { id: channel.id },
      data: { archivedAt: new Date() },
    });
    expect(await unreadOf(person)).toMatchObject({ count: 0, streams: [] });
    const capable = await recorded.stateOf(sut, person, optionsWith('archived_channels'));
    expect(capable['unread_msgs']).toMatchObject({
      streams: [{ stream_id: channel.id, unread_message_ids: [id] }],
    });
  });

  it('are the newest 50,000', async () => {
    const person = await addPerson();
    const { id: channelId } = await mail.addChannel([sender, person]);
    // One statement for all would exceed its time limit on a busy machine.
    for (let part = 0; part < 10; part += 1) await addMessages({ channelId }, person, 5000);
    expect(await unreadOf(person)).toMatchObject({ count: 50_000, old_unreads_missing: false });
    const newest = idOf(await sendToPeople(sender, [person]));
    const unread = await unreadOf(person);
    expect(unread).toMatchObject({ count: 50_000, old_unreads_missing: true });
    expect(unread).toMatchObject({ pms: [{ unread_message_ids: [newest] }] });
  });
});

describe('The number of statements', () => {
  it('does not depend on the number of messages', async () => {
    const [few, many] = [await addPerson(), await addPerson()];
    await addMessages({ channelId: (await mail.addChannel([few, many])).id }, many, 500);
    await sendToPeople(sender, [many, few]);
    await sendToPeople(sender, [many]);
    const forFew = await countStatements(() => stateOf(few));
    expect(await countStatements(() => stateOf(many))).toBe(forFew);
    // Four reads, and the begin and the commit of their transaction.
    expect(forFew).toBe(6);
  });
});
