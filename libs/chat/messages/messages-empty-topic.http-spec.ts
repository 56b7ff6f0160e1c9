import { describe, expect, it } from '@jest/globals';
import { badRequest, idOf } from '#test/answers';
import { addOrganisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const sender = useFixture(() => mail.organisation.addPerson());
const reader = useFixture(() => mail.organisation.addPerson());

/** The topic of a message in an answer. */
async function subjectOf(id: unknown, query = {}): Promise<unknown> {
  const { body } = await reader.api.get(`/messages/${String(id)}`, query);
  return Object(body['message']).subject;
}

const storedTopicOf = async (id: unknown): Promise<string> => {
  const where = { id: BigInt(Number(id)) };
  const { topic } = await system.database.database.prisma.message.findUniqueOrThrow({ where });
  return topic;
};

describe('A message with the empty topic', () => {
  it.each(['', ' ', 'general chat', ' general chat ', '(no topic)'])(
    'is sent with the topic "%s"',
    async (topic) => {
      const channel = await mail.addChannel([sender, reader]);
      const { body } = await sendToChannel(sender, channel, 'Hello', topic);
      expect(await storedTopicOf(body['id'])).toBe('');
    },
  );

  it.each(['General chat', 'no topic', 'lunch'])(
    'is not sent with the topic "%s"',
    async (topic) => {
      const channel = await mail.addChannel([sender, reader]);
      const { body } = await sendToChannel(sender, channel, 'Hello', topic);
      expect(await storedTopicOf(body['id'])).toBe(topic);
      expect(await subjectOf(body['id'])).toBe(topic);
    },
  );

  it('is found by its exact name only, and not with a topic of another case', async () => {
    const channel = await mail.addChannel([sender, reader]);
    const [empty, named] = [
      idOf(await sendToChannel(sender, channel, 'Hello', '')),
      idOf(await sendToChannel(sender, channel, 'Hello', 'General chat')),
    ];
    for (const [topic, id] of [
      ['general chat', empty],
      ['General chat', named],
    ] as const) {
      const { body } = await reader.api.post('/messages/flags/narrow', {
        anchor: 'newest',
        num_before: 10,
        num_after: 0,
        narrow: [
          ['channel', channel.name],
          ['topic', topic],
        ],
        op: 'add',
        flag: 'starred',
      });
      expect(body).toMatchObject({ first_processed_id: id, last_processed_id: id });
    }
  });

  it('is sent by the older name of the parameter, and without it', async () => {
    const { id: to } = await mail.addChannel([sender, reader]);
    const fields = { type: 'stream', to, content: 'Hello' };
    const named = await sender.api.post('/messages', { ...fields, subject: '(no topic)' });
    expect(await storedTopicOf(named.body['id'])).toBe('');
    const unnamed = await sender.api.post('/messages', fields);
    expect(await storedTopicOf(unnamed.body['id'])).toBe('');
  });

  it('is shown with the name of the topic, unless the client supports the empty topic', async () => {
    const channel = await mail.addChannel([sender, reader]);
    const { body } = await sendToChannel(sender, channel, 'Hello', '');
    expect(await subjectOf(body['id'])).toBe('general chat');
    expect(await subjectOf(body['id'], { allow_empty_topic_name: false })).toBe('general chat');
    expect(await subjectOf(body['id'], { allow_empty_topic_name: true })).toBe('');
  });

  it('is in the same topic for senders who may not create topics', async () => {
    const few = await mail.addGroup([sender]);
    const channel = await mail.addChannel([sender, reader], { canCreateTopicId: few });
    const refused = badRequest(`Not authorized to create new topics in channel '${channel.name}'`);
    expect(await sendToChannel(reader, channel, 'Hello', 'general chat')).toMatchObject(refused);
    await sendToChannel(sender, channel, 'Hello', '');
    expect((await sendToChannel(reader, channel, 'Hello', 'general chat')).status).toBe(200);
  });

  it('is linked with the name of the topic', async () => {
    const channel = await mail.addChannel([sender, reader]);
    const { body } = await sendToChannel(sender, channel, `#**${channel.name}>**`, '');
    const reply = await reader.api.get(`/messages/${String(body['id'])}`);
    expect(Object(reply.body['message']).content).toContain(
      `#${channel.name} &gt; <em>general chat</em>`,
    );
  });
});

const sendWithTopic = (
  person: Person,
  { id: to }: { readonly id: number },
  topic: string | undefined,
) =>
  person.api.post('/messages', {
    type: 'channel',
    to,
    content: 'Hello',
    ...(topic !== undefined && { topic }),
  });

describe('The policy for the topics of a channel', () => {
  const success = { status: 200, body: { id: expect.any(Number) } };
  const missing = { status: 400, body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'topic' } };
  const required = badRequest(
    'Sending messages to the general chat is not allowed in this channel.',
  );
  const notAllowed = badRequest('Only the general chat topic is allowed in this channel.');

  it.each([
    ['inherit', undefined, success],
    ['inherit', '', success],
    ['inherit', 'lunch', success],
    ['allow_empty_topic', undefined, success],
    ['allow_empty_topic', ' ', success],
    ['disable_empty_topic', undefined, missing],
    ['disable_empty_topic', ' ', required],
    ['disable_empty_topic', 'general chat', required],
    ['disable_empty_topic', '(no topic)', required],
    ['disable_empty_topic', 'lunch', success],
    ['empty_topic_only', undefined, success],
    ['empty_topic_only', '', success],
    ['empty_topic_only', 'general chat', success],
    ['empty_topic_only', 'lunch', notAllowed],
  ])('under %s: %s', async (topicsPolicy, topic, expected) => {
    const channel = await mail.addChannel([sender], { topicsPolicy });
    expect(await sendWithTopic(sender, channel, topic)).toMatchObject(expected);
  });

  it.each([
    ['inherit', undefined, missing],
    ['inherit', '', required],
    ['inherit', 'general chat', required],
    ['inherit', 'lunch', success],
    ['allow_empty_topic', undefined, success],
    ['empty_topic_only', '', success],
  ])(
    'under %s, where the organisation requires topics: %s',
    async (topicsPolicy, topic, expected) => {
      const strict = await addOrganisation(system, { topicsPolicy: 'disable_empty_topic' });
      const person = await strict.addPerson();
      const channel = await new Correspondence(system, strict).addChannel([person], {
        topicsPolicy,
      });
      expect(await sendWithTopic(person, channel, topic)).toMatchObject(expected);
    },
  );
});

describe('A direct message', () => {
  it.each([true, false])('has no topic, whatever the client supports: %s', async (isSupported) => {
    const { body } = await sendToPeople(sender, [reader]);
    expect(await subjectOf(body['id'], { allow_empty_topic_name: isSupported })).toBe('');
  });
});

describe('The ids of the sending client', () => {
  const fields = () => ({ type: 'direct', to: [reader.id], content: 'Hello' });

  it('are accepted, with and without each other', async () => {
    for (const ids of [{ queue_id: '1:2345', local_id: '7.01' }, { local_id: '7.01' }]) {
      const { status, body } = await sender.api.post('/messages', { ...fields(), ...ids });
      expect({ status, body }).toEqual({
        status: 200,
        body: expect.objectContaining({ result: 'success', msg: '', id: expect.any(Number) }),
      });
    }
  });

  it.each(['queue_id', 'local_id'])('have at most 1000 characters: %s', async (name) => {
    expect(
      await sender.api.post('/messages', { ...fields(), [name]: 'x'.repeat(1001) }),
    ).toMatchObject(badRequest(`${name} is too long (limit: 1000 characters)`));
  });
});
