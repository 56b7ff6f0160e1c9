import { beforeAll, describe, expect, it } from '@jest/globals';
import { EventLog, EventRepository } from '#events/log';
import { Correspondence, sendToChannel } from '#test/messages-organisation';
import { success } from '#test/answers';
import { EventClient } from '#test/event-client';
import type { Person } from '#test/organisation';
import { RecordedEvents } from '#test/recorded-events';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { type TopicMove, UserTopicRepository } from './user-topic.repository.js';
import { UserTopicEvents } from './user-topics.events.js';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
let recorded: RecordedEvents;
let topics: UserTopicRepository;
let state: UserTopicEvents;

beforeAll(async () => {
  const { database } = system.database;
  recorded = new RecordedEvents(system, mail.organisation);
  topics = new UserTopicRepository();
  state = new UserTopicEvents(topics, new EventLog(new EventRepository(database)));
});

const PATH = '/user_topics';

const set = ({ api }: Person, channelId: number, topic: string, visibility: number) =>
  api.post(PATH, { stream_id: channelId, topic, visibility_policy: visibility });

const listed = async ({ id }: Person) => {
  const { user_topics: own } = await recorded.stateOf(state, { id });
  const rows = own as { topic_name: string; visibility_policy: number }[];
  return rows.map(({ topic_name, visibility_policy }) => [topic_name, visibility_policy]);
};

describe('The move of a topic', () => {
  const move = (change: Omit<TopicMove, 'messageIds'>) =>
    system.database.database.transaction((transaction) =>
      topics.move(transaction, { ...change, messageIds: [] }),
    );

  it('takes the settings along; of merged topics the one remains that shows more', async () => {
    const people = await mail.organisation.addPeople(5);
    const [one, two, three, four, five] = people as [Person, Person, Person, Person, Person];
    const channelId = (await mail.addChannel(people)).id;
    const settings: [Person, number, number][] = [
      [one, 3, 1],
      [two, 1, 1],
      [three, 1, 0],
      [four, 0, 1],
      [five, 2, 0],
    ];
    for (const [person, from, to] of settings) {
      await set(person, channelId, 'from', from);
      await set(person, channelId, 'to', to);
    }
    const changed = (topic: string, visibility: number, ...userIds: number[]) =>
      expect.objectContaining({ channelId, topic, visibility, userIds });
    expect(
      await move({
        from: { channelId, topic: 'From' },
        to: { channelId, topic: 'to' },
        isMerge: true,
      }),
    ).toEqual([
      changed('From', 0, one.id, two.id, three.id, five.id),
      changed('to', 0, four.id),
      changed('to', 2, five.id),
      changed('to', 3, one.id),
    ]);
    expect(await Promise.all(people.map(listed))).toEqual([
      [['to', 3]],
      [['to', 1]],
      [],
      [],
      [['to', 2]],
    ]);
    await move({
      from: { channelId, topic: 'to' },
      to: { channelId, topic: 'new' },
      isMerge: false,
    });
    expect(await listed(five)).toEqual([['new', 2]]);
    const same = { from: { channelId, topic: 'new' }, to: { channelId, topic: 'NEW' } };
    expect(await move({ ...same, isMerge: true })).toEqual([]);
    expect(await listed(five)).toEqual([['new', 2]]);
  });

  it('sets the new topic only for accounts that may read it', async () => {
    const [reader, other] = [
      await mail.organisation.addPerson(),
      await mail.organisation.addPerson(),
    ];
    const open = await mail.addChannel([reader, other]);
    const hidden = await mail.addChannel([reader], { isPrivate: true, isHistoryPublic: true });
    for (const person of [reader, other]) await set(person, open.id, 'lunch', 3);
    const changes = await move({
      from: { channelId: open.id, topic: 'lunch' },
      to: { channelId: hidden.id, topic: 'secret' },
      isMerge: false,
    });
    expect(changes).toMatchObject([
      { topic: 'lunch', visibility: 0, userIds: [reader.id, other.id] },
      { topic: 'secret', visibility: 3, userIds: [reader.id] },
    ]);
    expect(await listed(other)).toEqual([]);
  });

  it('names the new topic in a channel that hides its history only to accounts that have received its messages', async () => {
    const [sender, late] = [
      await mail.organisation.addPerson(),
      await mail.organisation.addPerson(),
    ];
    const channel = await mail.addChannel([sender], { isPrivate: true, isHistoryPublic: false });
    const { body } = await sendToChannel(sender, channel);
    await system.database.database.prisma.subscription.create({
      data: { channelId: channel.id, userId: late.id },
    });
    for (const person of [sender, late]) await set(person, channel.id, 'lunch', 3);
    const clients = [await EventClient.register(sender.api), await EventClient.register(late.api)];
    const rename = { topic: 'secret', propagate_mode: 'change_all' };
    const silently = {
      send_notification_to_old_thread: false,
      send_notification_to_new_thread: false,
    };
    expect(
      await sender.api.patch(`/messages/${body['id']}`, { ...rename, ...silently }),
    ).toMatchObject(success);
    expect([await listed(sender), await listed(late)]).toEqual([[['secret', 3]], []]);
    const named = await Promise.all(
      clients.map(async (client) => JSON.stringify(await client.drain()).includes('secret')),
    );
    expect(named).toEqual([true, false]);
  });

  it.each([
    ['one topic in two cases', 'οδοσ', 1, 'This topic was moved here'],
    ['two topics, one with a final sigma', 'οδος', 2, 'A message was moved here'],
  ])('compares topics as they are stored: %s', async (_, to, count, notice) => {
    const sender = await mail.organisation.addPerson();
    const channel = await mail.addChannel([sender]);
    const from = 'ΟΔΟΣ';
    const { body } = await sendToChannel(sender, channel, 'Hello', from);
    if (count === 2) await sendToChannel(sender, channel, 'Hello', from);
    await set(sender, channel.id, from, 3);
    expect(await sender.api.patch(`/messages/${body['id']}`, { topic: to })).toMatchObject(success);
    expect(await listed(sender)).toEqual([[from, 3]]);
    const { prisma } = system.database.database;
    const last = await prisma.message.findFirst({
      where: { channelId: channel.id },
      orderBy: { id: 'desc' },
    });
    expect(last).toMatchObject({ topic: to, content: expect.stringContaining(notice) });
  });
});
