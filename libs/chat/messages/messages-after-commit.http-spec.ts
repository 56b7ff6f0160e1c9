import { describe, expect, it } from '@jest/globals';
import { failAfterCommit } from '#test/failing-statements';
import { useGateway } from '#test/start-gateway';
import { NotifiedPeople } from '#test/message-notifications-world';
import { sendToPeople } from '#test/messages-organisation';
import { useFixture } from '#test/use-fixture';

const system = useGateway({});
const people = useFixture(() => NotifiedPeople.in(system));

describe('A message whose transaction commits just before PostgreSQL fails', () => {
  it('succeeds, is stored once and is queued for phones', async () => {
    const [sender, reader] = [await people.add(), await people.add()];
    const earlier = await sendToPeople(sender, [reader]);
    expect(earlier.status).toBe(200);
    const [reply, later] = await failAfterCommit(system, async () => [
      await sendToPeople(sender, [reader]),
      await sendToPeople(sender, [reader]),
    ]);
    expect(later).toMatchObject({ status: 503 });
    expect(reply).toMatchObject({ status: 200, body: { result: 'success' } });
    expect(await people.prisma.message.count({ where: { senderId: sender.id } })).toBe(2);
    expect(await people.triggerOf(reader, reply.body['id'])).toBe('direct');
  });

  it('is marked as read, and its notification is removed', async () => {
    const [sender, reader] = [await people.add(), await people.add()];
    const messages = [(await sendToPeople(sender, [reader])).body['id']];
    const reply = await failAfterCommit(system, () =>
      reader.api.post('/messages/flags', { messages, op: 'add', flag: 'read' }),
    );
    expect(reply).toMatchObject({ status: 200, body: { result: 'success' } });
    expect((await people.mail.received(messages[0])).get(reader.id)?.isRead).toBe(true);
  });
});
