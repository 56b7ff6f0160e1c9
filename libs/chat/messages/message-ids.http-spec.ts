import { describe, expect, it } from '@jest/globals';
import { idOf, success } from '#test/answers';
import { useGateway } from '#test/start-gateway';
import { NotifiedPeople } from '#test/message-notifications-world';
import { sendToChannel, sendToPeople } from '#test/messages-organisation';
import { addModeratedOrganisation } from '#test/moderation-organisation';
import { useFixture } from '#test/use-fixture';

const BEYOND_32_BITS = 5_000_000_000;

const system = useGateway({});
const people = useFixture(() => NotifiedPeople.in(system));
const sender = useFixture(() => people.add({}, { fullName: 'Sven Sender' }));

const prisma = () => system.database.database.prisma;
const startAt = (id: number) =>
  prisma().$executeRawUnsafe(`ALTER SEQUENCE messages_id_seq RESTART WITH ${id}`);

async function typeOfMessageIds(): Promise<Set<string>> {
  const rows = await prisma().$queryRaw<{ data_type: string }[]>`
    SELECT data_type::text FROM information_schema.columns
    WHERE (table_name, column_name) IN (
      ('messages', 'id'), ('user_messages', 'message_id'), ('attachment_messages', 'message_id'),
      ('channels', 'first_message_id')
    )`;
  return new Set(rows.map((row) => row.data_type));
}

/** Runs each operation on message ids, and resolves with the first id. */
async function useMessages(): Promise<number> {
  const reader = await people.add({ isPushedChannels: true });
  const channel = await people.mail.addChannel([sender, reader]);
  const file = await people.mail.addFile(sender);
  const id = idOf(await sendToChannel(sender, channel, `[plan](${file.url})`));
  const flag = (messages: number[], op: string, name: string) =>
    reader.api.post('/messages/flags', { messages, op, flag: name });

  expect((await reader.api.get(`/messages/${id}`)).body).toMatchObject({ message: { id } });
  expect((await reader.api.get('/users/me')).body).toMatchObject({ max_message_id: id });
  expect((await reader.api.get('/streams')).body['streams']).toContainEqual(
    expect.objectContaining({ stream_id: channel.id, first_message_id: id }),
  );
  expect(await reader.api.get(file.url)).toMatchObject(success);
  expect(await people.of(reader)).toMatchObject([{ content: { messageId: id } }]);

  expect((await flag([id], 'add', 'starred')).body).toMatchObject({ messages: [id] });
  expect((await flag([id, id + 1000], 'add', 'read')).body).toMatchObject({ messages: [id] });
  expect(await people.of(reader)).toMatchObject([{}, { content: { messageIds: [id] } }]);
  expect((await flag([id], 'remove', 'read')).body).toMatchObject({ messages: [id] });
  const marked = await reader.api.post('/mark_stream_as_read', { stream_id: channel.id });
  expect(marked).toMatchObject(success);
  const direct = idOf(await sendToPeople(sender, [reader]));
  expect(direct).toBeGreaterThan(id);
  expect(await reader.api.post(`/users/me/muted_users/${sender.id}`)).toMatchObject(success);
  expect((await reader.api.get(`/messages/${direct}`)).body).toMatchObject({
    message: { flags: ['read'] },
  });
  expect((await reader.api.get(`/messages/${Number.MAX_SAFE_INTEGER}`)).status).toBe(400);
  return id;
}

async function reportMessage(): Promise<void> {
  const moderated = await addModeratedOrganisation(system);
  const [writer, reporter] = [await moderated.addPerson('Wim'), await moderated.addPerson('Rob')];
  const id = idOf(await sendToPeople(writer, [reporter]));
  const report = await reporter.api.post(`/messages/${id}/report`, { report_type: 'spam' });
  expect(report).toMatchObject(success);
  const [post] = await moderated.reports();
  expect(post?.content).toContain(`/near/${id}`);
}

describe('Messages with ids above 32 bits', () => {
  it('can be sent, read, marked, notified and reported', async () => {
    await startAt(BEYOND_32_BITS);
    expect(await useMessages()).toBeGreaterThanOrEqual(BEYOND_32_BITS);
    await reportMessage();
  });

  it('are sent once under a key', async () => {
    const reader = await people.add();
    const send = () =>
      sender.api.send('POST', '/messages', {
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'idempotency-key': 'one of many',
        },
        body: `type=direct&to=[${reader.id}]&content=Hello`,
      });
    const id = idOf(await send());
    expect(id).toBeGreaterThan(BEYOND_32_BITS);
    expect(idOf(await send())).toBe(id);
  });
});

describe('A database from before message ids were bigints', () => {
  it('works unchanged, and can be widened while a gateway runs', async () => {
    await prisma().$executeRaw`TRUNCATE messages, user_messages, attachment_messages CASCADE`;
    for (const change of [
      'ALTER TABLE messages ALTER COLUMN id TYPE int',
      'ALTER SEQUENCE messages_id_seq RESTART WITH 1',
      'ALTER SEQUENCE messages_id_seq AS int',
      'ALTER TABLE user_messages ALTER COLUMN message_id TYPE int',
      'ALTER TABLE attachment_messages ALTER COLUMN message_id TYPE int',
      'ALTER TABLE channels ALTER COLUMN first_message_id TYPE int USING NULL',
    ]) {
      await prisma().$executeRawUnsafe(change);
    }
    expect(await typeOfMessageIds()).toEqual(new Set(['integer']));
    expect(await useMessages()).toBeLessThan(1000);

    await prisma().$executeRaw`SELECT widen_message_ids()`;
    expect(await typeOfMessageIds()).toEqual(new Set(['bigint']));
    expect(await useMessages()).toBeLessThan(2000);
    await startAt(2 * BEYOND_32_BITS);
    expect(await useMessages()).toBeGreaterThanOrEqual(2 * BEYOND_32_BITS);
  });
});
