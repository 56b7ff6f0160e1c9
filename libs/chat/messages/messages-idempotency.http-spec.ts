import { describe, expect, it } from '@jest/globals';
import { IdempotencyKeyRepository } from '#platform/idempotency';
import { badRequest } from '#test/answers';
import { encodeForm, type Fields } from '#test/api-client';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { NotifiedPeople } from '#test/message-notifications-world';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const people = useFixture(() => NotifiedPeople.in(system));
const sender = useFixture(() => people.add());
const reader = useFixture(() => people.add());

const send = (person: Person, key: string | undefined, fields: Fields = {}, agent = 'test') =>
  person.api.send('POST', '/messages', {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': agent,
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: encodeForm({ type: 'direct', to: [reader.id], content: 'Hello', ...fields }),
  });

const sentBy = ({ id }: Person) => people.prisma.message.count({ where: { senderId: id } });

const reused = {
  status: 422,
  body: {
    result: 'error',
    code: 'IDEMPOTENCY_KEY_REUSED',
    msg: 'This Idempotency-Key came with another request before. Use a new key for a new request.',
  },
};

describe('A message that is sent again with its key', () => {
  it('is sent once, with the same response', async () => {
    const person = await people.add();
    const first = await send(person, 'one');
    expect(first).toMatchObject({
      status: 200,
      body: { result: 'success', id: expect.any(Number) },
    });
    const repeated = await send(person, 'one', {}, 'another program');
    expect(repeated.body).toEqual(first.body);
    expect(await sentBy(person)).toBe(1);
  });

  it('is the same message with other ids of the client', async () => {
    const person = await people.add();
    const first = await send(person, 'ids', { queue_id: '1', local_id: '7' });
    const repeated = await send(person, 'ids', { queue_id: '2', local_id: '8' });
    expect(repeated.body).toEqual(first.body);
    expect((await send(person, 'ids')).body).toEqual(first.body);
    expect(await sentBy(person)).toBe(1);
  });

  it('is sent and notified once for concurrent requests', async () => {
    const [person, other] = [await people.add(), await people.add()];
    const fields = { to: [other.id], content: 'Fire!' };
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => send(person, 'at once', fields)),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect(new Set(replies.map(({ body }) => body['id'])).size).toBe(1);
    expect(await sentBy(person)).toBe(1);
    expect(await people.of(other)).toHaveLength(1);
  });

  it('succeeds also when the message could no longer be sent', async () => {
    const person = await people.add();
    const channel = await people.mail.addChannel([person, reader]);
    const fields = { type: 'channel', to: channel.id, topic: 'lunch' };
    const first = await send(person, 'gone', fields);
    await people.prisma.channel.update({
      where: { id: channel.id },
      data: { archivedAt: new Date() },
    });
    expect((await send(person, 'gone', fields)).body).toEqual(first.body);
    expect(await send(person, 'new', fields)).toMatchObject({ status: 400 });
  });

  it('tells nothing of a place that its sender cannot see', async () => {
    const [person, other] = [await people.add(), await people.add()];
    const channel = await people.mail.addChannel([person, other]);
    const secret = await people.mail.addChannel([other], { isPrivate: true });
    const fields = { type: 'channel', to: channel.id, topic: 'lunch' };
    const { id } = (await send(person, 'moved', fields)).body;
    const moved = { stream_id: secret.id, topic: 'merger' };
    expect(await other.api.patch(`/messages/${String(id)}`, moved)).toMatchObject({ status: 200 });
    const repeated = await send(person, 'moved', fields);
    const url = expect.stringMatching(new RegExp(`^[^#]*/#narrow/near/${String(id)}$`)) as unknown;
    expect(repeated).toMatchObject({
      status: 200,
      body: { id, message_url: url, message_link: url },
    });
  });

  it.each<[string, Fields]>([
    ['content', { content: 'Bye' }],
    ['place', { to: 'everybody' }],
    ['kind', { type: 'channel' }],
    ['mark', { read_by_sender: false }],
  ])('is rejected with another %s', async (_, fields) => {
    const person = await people.add();
    await send(person, 'same');
    expect(await send(person, 'same', fields)).toMatchObject(reused);
    expect(await sentBy(person)).toBe(1);
  });

  it('is rejected with different content, also for concurrent requests', async () => {
    const person = await people.add();
    const replies = await Promise.all([
      send(person, 'race', { content: 'one' }),
      send(person, 'race', { content: 'other' }),
    ]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 422]);
    expect(await sentBy(person)).toBe(1);
  });

  it('is a different message for another account', async () => {
    const [person, other] = [await people.add(), await people.add()];
    const [one, two] = [await send(person, 'mine'), await send(other, 'mine')];
    expect(one.body['id']).not.toBe(two.body['id']);
  });

  it('is sent when the first attempt was rejected', async () => {
    const person = await people.add();
    const channel = await people.mail.addChannel([person], { archivedAt: new Date() });
    const fields = { type: 'channel', to: channel.id, topic: 'lunch' };
    expect(await send(person, 'later', fields)).toMatchObject({ status: 400 });
    await people.prisma.channel.update({ where: { id: channel.id }, data: { archivedAt: null } });
    expect(await send(person, 'later', fields)).toMatchObject({ status: 200 });
  });

  it('is sent each time without a key', async () => {
    const person = await people.add();
    await send(person, undefined);
    await send(person, undefined);
    expect(await sentBy(person)).toBe(2);
  });
});

describe('An Idempotency-Key', () => {
  it.each(['x'.repeat(256), '', 'schl\u00fcssel', 'a\tb'])('is rejected as %j', async (key) => {
    expect(await send(sender, key)).toMatchObject(
      badRequest('Idempotency-Key must be 1 to 255 printable ASCII characters'),
    );
  });

  it('may have 255 printable characters', async () => {
    const key = `"a b" ${'~'.repeat(249)}`;
    expect(await send(sender, key)).toMatchObject({ status: 200 });
  });

  it('is ignored in the body, which the response says', async () => {
    const person = await people.add();
    const field = { 'Idempotency-Key': 'in the body' };
    for (const key of [undefined, 'in the header']) {
      expect((await send(person, key, field)).body).toMatchObject({
        result: 'success',
        ignored_parameters_unsupported: ['Idempotency-Key'],
      });
    }
    expect(await sentBy(person)).toBe(2);
  });

  it('expires, the oldest first', async () => {
    const sut = new IdempotencyKeyRepository(system.database.database);
    const person = await people.add();
    for (const key of ['older', 'old', 'new']) await send(person, key);
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    const date = (key: string, createdAt: Date) =>
      people.prisma.idempotencyKey.update({
        where: { userId_key: { userId: person.id, key } },
        data: { createdAt },
      });
    await date('older', hoursAgo(50));
    await date('old', hoursAgo(49));
    expect(await sut.forget(48 * 3_600_000, 1)).toBe(1);
    expect(await sut.forget(48 * 3_600_000, 10)).toBe(1);
    expect(await sut.forget(48 * 3_600_000, 10)).toBe(0);
    for (const key of ['older', 'old', 'new']) await send(person, key);
    expect(await sentBy(person)).toBe(5);
  });
});
