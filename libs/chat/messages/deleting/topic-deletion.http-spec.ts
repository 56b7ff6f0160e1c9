import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, idOf, success } from '#test/answers';
import { boundStatements } from '#test/bounded-statements';
import { EventClient } from '#test/event-client';
import { Correspondence, sendToChannel } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const ada = useFixture(() => mail.organisation.addPerson());
const admin = useFixture(() => mail.organisation.addPerson({ role: roles.administrator }));

const prisma = () => system.database.database.prisma;
const remove = ({ api }: Person, channelId: number, topic_name: string) =>
  api.post(`/streams/${channelId}/delete_topic`, { topic_name });
const complete = { status: 200, body: { ...success.body, complete: true } };
const mayNot = badRequest("You don't have permission to delete this message");
const invalid = badRequest('Invalid channel ID');
const kept = (channelId: number) => prisma().message.count({ where: { channelId } });
const allCapable = { client_capabilities: { bulk_message_deletion: true, empty_topic_name: true } };

/** Stores messages without their events; resolves with their ids. */
async function addMany(channelId: number, count: number, topic: string): Promise<number[]> {
  const stored = await prisma().message.createManyAndReturn({
    data: Array.from({ length: count }, () => ({
      realmId: mail.organisation.id,
      senderId: ada.id,
      channelId,
      topic,
      content: 'Hello',
    })),
    select: { id: true },
  });
  return stored.map(({ id }) => Number(id));
}

describe('POST /streams/{stream_id}/delete_topic', () => {
  it('deletes the messages of the topic in any letter case, and sends events to their readers', async () => {
    const channel = await mail.addChannel([ada, admin]);
    const lower = idOf(await sendToChannel(ada, channel, 'One', 'lunch'));
    const upper = idOf(await sendToChannel(admin, channel, 'Two', 'Lunch'));
    const other = idOf(await sendToChannel(ada, channel, 'Three', 'dinner'));
    const client = await EventClient.register(ada.api, allCapable);
    expect(await remove(admin, channel.id, 'LUNCH')).toEqual(expect.objectContaining(complete));
    const deletion = { type: 'delete_message', message_type: 'stream', stream_id: channel.id };
    const events = await client.drain();
    expect(events.filter(({ type }) => type === 'delete_message')).toEqual([
      { ...deletion, topic: 'Lunch', message_ids: [upper], id: expect.any(Number) },
      { ...deletion, topic: 'lunch', message_ids: [lower], id: expect.any(Number) },
    ]);
    expect(await ada.api.get(`/messages/${lower}`)).toMatchObject({ status: 400 });
    expect(await ada.api.get(`/messages/${other}`)).toMatchObject(success);
    expect(await remove(admin, channel.id, 'lunch')).toMatchObject(complete);
    expect(await client.drain()).toEqual([]);
  });

  it('deletes the empty topic by its names', async () => {
    const channel = await mail.addChannel([ada]);
    await sendToChannel(ada, channel, 'Hello', '');
    await sendToChannel(ada, channel, 'Hello', 'lunch');
    expect(await remove(admin, channel.id, 'general chat')).toMatchObject(complete);
    expect(await kept(channel.id)).toBe(1);
  });

  it('deletes a large topic in small transactions', async () => {
    const channel = await mail.addChannel([ada]);
    await addMany(channel.id, 250, 'lunch');
    const bound = await boundStatements(system, {
      table: 'messages',
      operation: 'DELETE',
      most: 100,
    });
    try {
      expect(await remove(admin, channel.id, 'lunch')).toMatchObject(complete);
    } finally {
      await bound.lift();
    }
    expect(await kept(channel.id)).toBe(0);
  });

  it('deletes messages with many former readers in smaller transactions', async () => {
    const channel = await mail.addChannel([ada]);
    const realmId = mail.organisation.id;
    const ids = await addMany(channel.id, 100, 'lunch');
    await prisma().$executeRaw`
      WITH crowd AS (
        INSERT INTO users (realm_id, delivery_email, email, full_name, role, api_key_hash, api_key_sealed)
        SELECT ${realmId}, 'crowd' || number, 'crowd' || number, 'Crowd ' || number, 400,
          sha256(('crowd' || number)::bytea), ''
        FROM generate_series(1, 600) AS number RETURNING id
      )
      INSERT INTO user_messages (user_id, message_id)
      SELECT crowd.id, message.id FROM crowd CROSS JOIN unnest(${ids}::bigint[]) AS message (id)`;
    const bound = await boundStatements(system, {
      table: 'messages',
      operation: 'DELETE',
      most: 50_000 / 600,
    });
    try {
      expect(await remove(admin, channel.id, 'lunch')).toMatchObject(complete);
    } finally {
      await bound.lift();
    }
    expect(await kept(channel.id)).toBe(0);
  });

  it('keeps what is deleted when a later part fails, and a repetition continues', async () => {
    const channel = await mail.addChannel([ada]);
    const ids = await addMany(channel.id, 150, 'lunch');
    const bound = await boundStatements(system, {
      table: 'messages',
      operation: 'DELETE',
      most: 100,
      after: 1,
    });
    try {
      expect(await remove(admin, channel.id, 'lunch')).toMatchObject({ status: 503 });
    } finally {
      await bound.lift();
    }
    const left = await prisma().message.findMany({ where: { channelId: channel.id } });
    expect(left.map(({ id }) => Number(id)).toSorted((one, two) => one - two)).toEqual(
      ids.slice(0, 50),
    );
    expect(await remove(admin, channel.id, 'lunch')).toMatchObject(complete);
    expect(await kept(channel.id)).toBe(0);
  });

  it('is for holders of the permission to delete any message', async () => {
    const channel = await mail.addChannel([ada]);
    await sendToChannel(ada, channel);
    expect(await remove(ada, channel.id, 'lunch')).toMatchObject(mayNot);
    expect(await kept(channel.id)).toBe(1);
    const canDeleteAnyMessageId = await mail.addGroup([ada]);
    await prisma().channel.update({ where: { id: channel.id }, data: { canDeleteAnyMessageId } });
    expect(await remove(ada, channel.id, 'lunch')).toMatchObject(complete);
    expect(await kept(channel.id)).toBe(0);
  });

  it('is not for guests, also as holders of the permission', async () => {
    const guest = await mail.organisation.addPerson({ role: roles.guest });
    const canDeleteAnyMessageId = await mail.addGroup([guest]);
    const channel = await mail.addChannel([ada, guest], { canDeleteAnyMessageId });
    await sendToChannel(ada, channel);
    expect(await remove(guest, channel.id, 'lunch')).toMatchObject(mayNot);
    expect(await kept(channel.id)).toBe(1);
  });

  it('deletes only messages that the caller may read', async () => {
    const channel = await mail.addChannel([ada], { isPrivate: true });
    await sendToChannel(ada, channel);
    expect(await remove(admin, channel.id, 'lunch')).toMatchObject(invalid);
    await prisma().subscription.create({ data: { channelId: channel.id, userId: admin.id } });
    await sendToChannel(ada, channel);
    expect(await remove(admin, channel.id, 'lunch')).toMatchObject(complete);
    expect(await kept(channel.id)).toBe(1);
  });

  it('refuses unknown and archived channels', async () => {
    const archived = await mail.addChannel([admin], { archivedAt: new Date() });
    const foreign = await (await Correspondence.in(system)).addChannel();
    for (const id of [archived.id, foreign.id, 2_147_483_647]) {
      expect(await remove(admin, id, 'lunch')).toMatchObject(invalid);
    }
  });

  it('deletes each message once when requests meet', async () => {
    const channel = await mail.addChannel([ada]);
    const ids = await addMany(channel.id, 150, 'lunch');
    const client = await EventClient.register(admin.api, allCapable);
    const replies = await Promise.all([1, 2, 3].map(() => remove(admin, channel.id, 'lunch')));
    for (const reply of replies) expect(reply).toMatchObject(complete);
    const reported = (await client.drain())
      .filter(({ type }) => type === 'delete_message')
      .flatMap((event) => event['message_ids'] as number[]);
    expect(reported.toSorted((one, two) => one - two)).toEqual(ids);
  });
});
