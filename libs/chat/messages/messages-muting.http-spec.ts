import { describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { untilLockWaits } from '#test/lock-waits';
import type { Reply } from '#test/http-request';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));

const addPerson = () => mail.organisation.addPerson();
const prisma = () => system.database.database.prisma;
const mute = (person: Person, { id }: Person) => person.api.post(`/users/me/muted_users/${id}`);

const readBy = async ({ id }: Person, { body }: Reply) =>
  (await mail.received(body['id'])).get(id)?.isRead;

describe('A message that is being stored while its sender is muted', () => {
  it('is stored as read when the muting overtakes it', async () => {
    const [sender, reader] = [await addPerson(), await addPerson()];
    const channel = await mail.addChannel([sender, reader]);
    const { sending } = await prisma().$transaction(async (transaction) => {
      await transaction.$queryRaw`SELECT 1 FROM channels WHERE id = ${channel.id} FOR NO KEY UPDATE`;
      const waiting = sendToChannel(sender, channel);
      await untilLockWaits(system.database.database);
      expect(await mute(reader, sender)).toMatchObject(success);
      return { sending: waiting };
    });
    const sent = await sending;
    expect(sent).toMatchObject(success);
    expect(await readBy(reader, sent)).toBe(true);
  });

  it('is marked as read when it overtakes the muting', async () => {
    const [sender, reader] = [await addPerson(), await addPerson()];
    const earlier = Number((await sendToPeople(sender, [reader])).body['id']);
    const { muting, sent } = await prisma().$transaction(async (transaction) => {
      await transaction.$queryRaw`
        SELECT 1 FROM user_messages WHERE message_id = ${earlier} AND user_id = ${reader.id} FOR UPDATE`;
      const waiting = mute(reader, sender);
      await untilLockWaits(system.database.database);
      return { muting: waiting, sent: await sendToPeople(sender, [reader]) };
    });
    expect(await muting).toMatchObject(success);
    expect(sent).toMatchObject(success);
    expect(await readBy(reader, sent)).toBe(true);
  });
});

describe('Messages to many places that are being stored while their sender is muted', () => {
  it('are all marked as read', async () => {
    for (let round = 0; round < 8; round += 1) {
      const [sender, reader] = [await addPerson(), await addPerson()];
      const channels = await Promise.all(
        Array.from({ length: 8 }, () => mail.addChannel([sender, reader])),
      );
      const sending = channels.flatMap((channel) => [
        sendToChannel(sender, channel),
        sendToChannel(sender, channel),
      ]);
      expect(await mute(reader, sender)).toMatchObject(success);
      const sent = [...(await Promise.all(sending)), await sendToPeople(sender, [reader])];
      const read = await Promise.all(sent.map((reply) => readBy(reader, reply)));
      expect(read).toEqual(sent.map(() => true));
    }
  });
});

describe('Concurrent changes of the messages of an account', () => {
  it('do not deadlock', async () => {
    const [sender, reader] = [await addPerson(), await addPerson()];
    const channel = await mail.addChannel([sender, reader]);
    const send = () => sendToChannel(sender, channel, '@**all**');
    const flag = (messages: unknown[], op: string, name: string) =>
      reader.api.post('/messages/flags', { messages, op, flag: name });
    for (let round = 0; round < 10; round += 1) {
      const before = await Promise.all([send(), send(), send()]);
      const ids = before.map(({ body }) => body['id']);
      const replies = await Promise.all([
        mute(reader, sender),
        send(),
        reader.api.post('/mark_stream_as_read', { stream_id: channel.id }),
        flag(ids, 'remove', 'read'),
        flag(ids.toReversed(), 'add', 'starred'),
        sendToPeople(sender, [reader]),
        flag(ids.toReversed(), 'add', 'read'),
      ]);
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
      await reader.api.delete(`/users/me/muted_users/${sender.id}`);
    }
  });
});
