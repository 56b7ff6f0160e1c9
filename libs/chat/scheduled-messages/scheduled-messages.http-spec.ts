import { describe, expect, it } from '@jest/globals';
import { badRequest, success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { eventually } from '#test/eventually';
import { Correspondence } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const PATH = '/scheduled_messages';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const ada = useFixture(() => mail.organisation.addPerson());
const bea = useFixture(() => mail.organisation.addPerson());

const prisma = () => system.database.database.prisma;
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const schedule = ({ api }: Person, fields: object = {}) =>
  api.post(PATH, {
    type: 'direct',
    to: [bea.id],
    content: 'Later',
    scheduled_delivery_timestamp: inSeconds(3600),
    ...fields,
  });
const add = async (person: Person, fields: object = {}) =>
  Number((await schedule(person, fields)).body['scheduled_message_id']);
const edit = ({ api }: Person, id: number, fields: Readonly<Record<string, unknown>>) =>
  api.patch(`${PATH}/${id}`, fields);
const remove = ({ api }: Person, id: number) => api.delete(`${PATH}/${id}`);
const list = async ({ api }: Person) =>
  (await api.get(PATH)).body['scheduled_messages'] as {
    scheduled_message_id: number;
    failed: boolean;
  }[];
const notFound = {
  status: 404,
  body: { result: 'error', msg: 'Scheduled message does not exist', code: 'BAD_REQUEST' },
};
const tooEarly = {
  status: 400,
  body: {
    code: 'DELIVERY_TIME_NOT_IN_FUTURE',
    msg: 'Scheduled delivery time must be in the future.',
  },
};
/** Lets the time of messages come. */
const make = (ids: readonly number[], secondsAgo: number) => {
  const at = new Date(Date.now() - secondsAgo * 1000);
  return prisma().scheduledMessage.updateMany({
    where: { id: { in: [...ids] } },
    data: { deliverAt: at, dueAt: at },
  });
};
const sent = (content: string) => prisma().message.findMany({ where: { content } });
/** The direct messages of the Notification Bot to a person. */
const noticesTo = ({ id }: Person) =>
  eventually(async () => {
    const received = await prisma().userMessage.findMany({ where: { userId: id } });
    const notices = await prisma().message.findMany({
      where: {
        id: { in: received.map(({ messageId }) => messageId) },
        sender: { isSystemBot: true },
      },
    });
    expect(notices).not.toEqual([]);
    return notices.map(({ content }) => content);
  });
const isGone = async (id: number) =>
  (await prisma().scheduledMessage.count({ where: { id } })) === 0;

describe('the scheduled messages of an account', () => {
  it('are listed by their time, as in the state, and reach the author only', async () => {
    const person = await mail.organisation.addPerson();
    const channel = await mail.addChannel([person]);
    const fetch = { fetch_event_types: ['scheduled_messages'] };
    const client = await EventClient.register(person.api, fetch);
    const other = await EventClient.register(bea.api, { event_types: ['scheduled_messages'] });
    expect(client.state['scheduled_messages']).toEqual([]);
    const [late, early] = [inSeconds(7200), inSeconds(3600)];
    const first = await add(person, {
      type: 'stream',
      to: channel.id,
      topic: 'lunch',
      content: '*Hi*',
      scheduled_delivery_timestamp: late,
    });
    const second = await add(person, { scheduled_delivery_timestamp: early });
    const toChannel = {
      scheduled_message_id: first,
      type: 'stream',
      to: channel.id,
      topic: 'lunch',
      content: '*Hi*',
      rendered_content: '<p><em>Hi</em></p>',
      scheduled_delivery_timestamp: late,
      failed: false,
    };
    const toPeople = {
      scheduled_message_id: second,
      type: 'private',
      to: [bea.id],
      content: 'Later',
      rendered_content: '<p>Later</p>',
      scheduled_delivery_timestamp: early,
      failed: false,
    };
    expect(await list(person)).toEqual([toPeople, toChannel]);
    expect((await EventClient.register(person.api, fetch)).state['scheduled_messages']).toEqual(
      await list(person),
    );
    expect(await edit(person, second, { content: 'Never' })).toMatchObject(success);
    expect(await edit(person, second, {})).toMatchObject(success);
    expect(await remove(person, second)).toMatchObject(success);
    const edited = { ...toPeople, content: 'Never', rendered_content: '<p>Never</p>' };
    const type = 'scheduled_messages';
    expect(await client.drain()).toMatchObject([
      { type, op: 'add', scheduled_messages: [toChannel] },
      { type, op: 'add', scheduled_messages: [toPeople] },
      { type, op: 'update', scheduled_message: edited },
      { type, op: 'remove', scheduled_message_id: second },
    ]);
    expect(await other.drain()).toEqual([]);
  });

  it('belong to the account', async () => {
    const id = await add(ada);
    for (const unknown of [id, 2_147_483_647]) {
      expect(await edit(bea, unknown, { content: 'Mine' })).toMatchObject(notFound);
      expect(await remove(bea, unknown)).toMatchObject(notFound);
    }
    expect(await list(ada)).toContainEqual(expect.objectContaining({ scheduled_message_id: id }));
  });

  it('keep all edits that meet, and are deleted once', async () => {
    const id = await add(ada);
    const scheduled_delivery_timestamp = inSeconds(5000);
    const edits = [{ content: 'New' }, { scheduled_delivery_timestamp }, { to: [ada.id] }];
    for (const reply of await Promise.all(edits.map((fields) => edit(ada, id, fields)))) {
      expect(reply).toMatchObject(success);
    }
    const found = (await list(ada)).find((one) => one.scheduled_message_id === id);
    expect(found).toMatchObject({ content: 'New', scheduled_delivery_timestamp, to: [ada.id] });
    const replies = await Promise.all([1, 2, 3].map(() => remove(ada, id)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
  });

  it('keep many edits that meet', async () => {
    const id = await add(ada);
    const contents = Array.from({ length: 10 }, (_, index) => `Version ${index}`);
    const replies = await Promise.all(contents.map((content) => edit(ada, id, { content })));
    expect(replies.map(({ status }) => status)).toEqual(contents.map(() => 200));
  });

  it('are checked like messages that are sent', async () => {
    const hidden = await mail.addChannel([bea], { isPrivate: true });
    const channel = await mail.addChannel([ada]);
    const id = await add(ada);
    const refusals: [object, object][] = [
      [{ type: 'channel', to: hidden.id, topic: 'x' }, { body: { code: 'STREAM_DOES_NOT_EXIST' } }],
      [{ to: [2_147_483_647] }, badRequest('Invalid user ID 2147483647')],
      [{ to: [] }, badRequest('Message must have recipients')],
      [{ content: '  ' }, badRequest('Message must not be empty')],
      [{ scheduled_delivery_timestamp: inSeconds(-1) }, tooEarly],
      [{ scheduled_delivery_timestamp: 1e15 }, { status: 400 }],
      [{ to: 'x' }, { status: 400 }],
    ];
    for (const [fields, refusal] of refusals) {
      expect(await schedule(ada, fields)).toMatchObject(refusal);
      expect(await edit(ada, id, { ...fields })).toMatchObject(refusal);
    }
    expect(await edit(ada, id, { type: 'channel' })).toMatchObject(
      badRequest('Recipient required when updating type of scheduled message.'),
    );
    expect(await edit(ada, id, { type: 'channel', to: channel.id })).toMatchObject(
      badRequest('Topic required when updating scheduled message type to channel.'),
    );
    const moved = { type: 'channel', to: channel.id, topic: 'lunch' };
    expect(await edit(ada, id, moved)).toMatchObject(success);
  });
});

describe('the delivery of scheduled messages', () => {
  it('sends each message once at its time, with the event that it is gone', async () => {
    const content = 'At the time';
    const channel = await mail.addChannel([ada, bea]);
    const reader = await EventClient.register(bea.api, { event_types: ['message'] });
    const author = await EventClient.register(ada.api, { event_types: ['scheduled_messages'] });
    const at = inSeconds(2);
    const ids: number[] = [];
    for (let count = 0; count < 25; count += 1) {
      const fields = { type: 'channel', to: channel.id, topic: 'lunch', content };
      ids.push(await add(ada, { ...fields, scheduled_delivery_timestamp: inSeconds(600) }));
    }
    await prisma().scheduledMessage.updateMany({
      where: { id: { in: ids } },
      data: { deliverAt: new Date(at * 1000), dueAt: new Date(at * 1000) },
    });
    await eventually(async () => expect(await sent(content)).toHaveLength(25));
    for (const { sentAt, senderId } of await sent(content)) {
      expect(senderId).toBe(ada.id);
      expect(sentAt.getTime()).toBeGreaterThanOrEqual(at * 1000);
    }
    const events = await author.drain();
    const removed = events.filter(({ op }) => op === 'remove');
    expect(removed.map((event) => event['scheduled_message_id'] as number)).toEqual(
      expect.arrayContaining(ids),
    );
    expect(removed).toHaveLength(25);
    expect(await reader.drain()).toHaveLength(25);
    expect(await list(ada)).not.toContainEqual(
      expect.objectContaining({ scheduled_message_id: ids[0] }),
    );
  });

  it('marks a message that cannot be sent, and sends it after an edit', async () => {
    const channel = await mail.addChannel([ada]);
    const content = 'To an archived channel';
    const id = await add(ada, { type: 'channel', to: channel.id, topic: 'lunch', content });
    const client = await EventClient.register(ada.api, { event_types: ['scheduled_messages'] });
    await prisma().channel.update({ where: { id: channel.id }, data: { archivedAt: new Date() } });
    await make([id], 1);
    await eventually(async () =>
      expect(await list(ada)).toContainEqual(
        expect.objectContaining({ scheduled_message_id: id, failed: true }),
      ),
    );
    expect(await client.drain()).toMatchObject([
      { op: 'update', scheduled_message: { scheduled_message_id: id, failed: true } },
    ]);
    expect(await noticesTo(ada)).toEqual([
      expect.stringMatching(/^Your message that was scheduled for <time:.*> was not sent:\n\n> ./u),
    ]);
    await prisma().channel.update({ where: { id: channel.id }, data: { archivedAt: null } });
    expect(await edit(ada, id, { content })).toMatchObject(tooEarly);
    const scheduled_delivery_timestamp = inSeconds(2);
    expect(await edit(ada, id, { scheduled_delivery_timestamp })).toMatchObject(success);
    await eventually(async () => expect(await sent(content)).toHaveLength(1));
    expect(await isGone(id)).toBe(true);
  });

  it('does not send a message that is more than ten minutes late', async () => {
    const content = 'Too late';
    const id = await add(ada, { content });
    await make([id], 601);
    await eventually(async () =>
      expect(await list(ada)).toContainEqual(
        expect.objectContaining({ scheduled_message_id: id, failed: true }),
      ),
    );
    expect(await sent(content)).toEqual([]);
  });

  it('does not send the messages of a deactivated account', async () => {
    const person = await mail.organisation.addPerson();
    const content = 'From a deactivated account';
    const id = await add(person, { content });
    await prisma().user.update({ where: { id: person.id }, data: { isActive: false } });
    await make([id], 1);
    await eventually(async () => {
      const row = await prisma().scheduledMessage.findUnique({ where: { id } });
      expect(row?.dueAt).toBeNull();
    });
    expect(await sent(content)).toEqual([]);
  });
});
