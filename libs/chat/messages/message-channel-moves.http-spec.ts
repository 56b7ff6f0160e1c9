import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, idOf, success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { untilLockWaits } from '#test/lock-waits';
import { Correspondence, sendToChannel } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const ada = useFixture(() => mail.organisation.addPerson({ fullName: 'Ada' }));
const bea = useFixture(() => mail.organisation.addPerson({ fullName: 'Bea' }));
const moderator = useFixture(() => mail.organisation.addPerson({ role: roles.moderator }));

type Channel = Awaited<ReturnType<Correspondence['addChannel']>>;

const prisma = () => system.database.database.prisma;
const send = async (channel: Channel, topic = 'lunch', who = ada) =>
  idOf(await sendToChannel(who, channel, 'Hello', topic));
const move = (who: Person, id: number, fields: Record<string, unknown>) =>
  who.api.patch(`/messages/${id}`, { send_notification_to_new_thread: false, ...fields });
const messageOf = async (who: Person, id: number) =>
  (await who.api.get(`/messages/${id}`)).body['message'] as Record<string, unknown>;
const capable = {
  client_capabilities: { bulk_message_deletion: true, empty_topic_name: true },
};
const subscribe = (channel: Channel, { id: userId }: Person) =>
  prisma().subscription.create({ data: { channelId: channel.id, userId } });

const ageOf = (id: number, days: number) =>
  prisma().message.update({
    where: { id },
    data: { sentAt: new Date(Date.now() - days * 86_400_000) },
  });

describe('PATCH /messages/{message_id} with a channel', () => {
  it('moves messages, and sends events to the readers of both channels', async () => {
    const [from, to] = [await mail.addChannel([ada, bea]), await mail.addChannel([ada])];
    await subscribe(to, moderator);
    const id = await send(from);
    const clients = [ada, bea, moderator].map((who) => EventClient.register(who.api, capable));
    const opened = await Promise.all(clients);
    expect(await move(ada, id, { stream_id: to.id })).toMatchObject(success);
    const event = {
      type: 'update_message',
      stream_id: from.id,
      new_stream_id: to.id,
      orig_subject: 'lunch',
      propagate_mode: 'change_one',
    };
    const received = await Promise.all(opened.map((client) => client.drain()));
    for (const events of received) {
      const update = events.find(({ type }) => type === 'update_message');
      expect(update).toMatchObject(event);
      expect(update).not.toHaveProperty('subject');
    }
    expect(received[1]).toContainEqual(
      expect.objectContaining({ type: 'update_message_flags', flag: 'read', messages: [id] }),
    );
    for (const property of [
      { stream_id: from.id, value: null },
      { stream_id: to.id, value: id },
    ]) {
      expect(received[0]).toContainEqual(
        expect.objectContaining({ type: 'stream', property: 'first_message_id', ...property }),
      );
    }
    expect(await messageOf(bea, id)).toMatchObject({
      stream_id: to.id,
      edit_history: [{ prev_stream: from.id, stream: to.id }],
    });
  });

  it('takes messages away from those who may not read the new channel', async () => {
    const [from, to] = [
      await mail.addChannel([ada, bea]),
      await mail.addChannel([ada], { isPrivate: true }),
    ];
    const late = await mail.organisation.addPerson();
    await subscribe(to, late);
    const id = await send(from);
    const clients = await Promise.all(
      [bea, late].map((who) => EventClient.register(who.api, capable)),
    );
    await move(ada, id, { stream_id: to.id });
    const [lost, gained] = await Promise.all(clients.map((client) => client.drain()));
    expect(lost).toContainEqual(
      expect.objectContaining({
        type: 'delete_message',
        message_ids: [id],
        stream_id: from.id,
        topic: 'lunch',
      }),
    );
    expect(lost?.map(({ type }) => type)).not.toContain('update_message');
    expect(gained?.map(({ type }) => type)).toContain('update_message');
    expect((await mail.received(id)).has(bea.id)).toBe(false);
    expect(await messageOf(late, id)).toMatchObject({ id, flags: ['read'] });
    expect(await bea.api.get(`/messages/${id}`)).toMatchObject(badRequest('Invalid message(s)'));
  });

  it.each([
    ['shows its history', {}],
    ['hides its history too', { isPrivate: true }],
  ])(
    'tells later subscribers of a channel that hides its history nothing of the time there, to one that %s',
    async (_, traits) => {
      const from = await mail.addChannel([ada, bea], { isPrivate: true });
      const late = await mail.organisation.addPerson();
      const to = await mail.addChannel([ada, bea], traits);
      const id = await send(from, 'merger');
      await ada.api.patch(`/messages/${id}`, { content: 'Hello again' });
      for (const channel of [from, to]) await subscribe(channel, late);
      const clients = await Promise.all(
        [bea, late].map((who) => EventClient.register(who.api, capable)),
      );
      expect(await move(ada, id, { stream_id: to.id, topic: 'news' })).toMatchObject(success);
      const [knowing, arriving] = await Promise.all(
        clients.map(async (client) =>
          (await client.drain()).find(({ type }) => type === 'update_message'),
        ),
      );
      expect(knowing).toMatchObject({ stream_id: from.id, orig_subject: 'merger' });
      expect(arriving).toMatchObject({ stream_id: to.id, message_ids: [id] });
      expect(arriving).not.toHaveProperty('orig_subject');
      const versionsFor = async (who: Person) =>
        (await who.api.get(`/messages/${id}/history`)).body['message_history'];
      expect(await versionsFor(bea)).toHaveLength(3);
      expect(await versionsFor(late)).toMatchObject([{ topic: 'news', content: 'Hello again' }]);
      expect(await messageOf(bea, id)).toMatchObject({
        edit_history: [{ prev_stream: from.id }, {}],
      });
      expect(await messageOf(late, id)).not.toHaveProperty('edit_history');
    },
  );

  it('does nothing for the channel of the message', async () => {
    const channel = await mail.addChannel([ada, bea]);
    const guest = await mail.organisation.addPerson({ role: roles.guest });
    await subscribe(channel, guest);
    const id = await send(channel);
    const client = await EventClient.register(ada.api);
    // A move to another channel is not for guests.
    for (const person of [ada, guest]) {
      await move(person, id, { stream_id: channel.id });
    }
    expect(await client.drain()).toEqual([]);
    const renamed = await move(guest, id, { stream_id: channel.id, topic: 'dinner' });
    expect(renamed).toMatchObject(success);
    const [event] = await client.drain();
    expect(event).toMatchObject({ orig_subject: 'lunch', subject: 'dinner' });
    expect(event).not.toHaveProperty('new_stream_id');
  });

  it('refuses what is not allowed', async () => {
    const [from, to] = [await mail.addChannel([ada, bea]), await mail.addChannel([ada])];
    const hidden = await mail.addChannel([ada], { isPrivate: true });
    const guest = await mail.organisation.addPerson({ role: roles.guest });
    for (const channel of [from, to]) await subscribe(channel, guest);
    const id = await send(from);
    expect(await move(bea, id, { stream_id: hidden.id })).toMatchObject(
      badRequest('Invalid channel ID'),
    );
    expect(await move(bea, id, { stream_id: 2 ** 40 })).toMatchObject(
      badRequest('Invalid channel ID'),
    );
    expect(await move(guest, id, { stream_id: to.id })).toMatchObject(
      badRequest("You don't have permission to move this message"),
    );
    expect(await move(ada, id, { stream_id: to.id, content: 'x' })).toMatchObject(
      badRequest('Cannot change message content while changing channel'),
    );
    await ageOf(id, 8);
    expect(await move(bea, id, { stream_id: to.id })).toMatchObject(
      badRequest("The time limit for editing this message's channel has passed."),
    );
  });

  it('respects a change of the new channel that is committed meanwhile', async () => {
    const [from, to] = [await mail.addChannel([ada]), await mail.addChannel([ada])];
    const id = await send(from);
    const { database } = system.database;
    let reply: ReturnType<typeof move> | undefined;
    await database.transaction(async (transaction) => {
      const archive = 'UPDATE channels SET archived_at = now() WHERE id = $1';
      await transaction.query('archive_meanwhile', archive, [to.id]);
      reply = move(ada, id, { stream_id: to.id });
      await untilLockWaits(database);
    });
    expect(await reply).toMatchObject(badRequest(`Not authorized to send to channel '${to.name}'`));
  });

  it('takes a limited number of messages away from readers', async () => {
    const crowd = await mail.addCrowd(60);
    const from = await mail.addChannel([moderator]);
    const to = await mail.addChannel([moderator], { isPrivate: true, isHistoryPublic: true });
    await prisma().subscription.createMany({
      data: crowd.map(({ id: userId }) => ({ channelId: from.id, userId })),
    });
    const message = { realmId: mail.organisation.id, senderId: moderator.id, channelId: from.id };
    await prisma().message.createMany({
      data: Array.from({ length: 833 }, () => ({ ...message, topic: 'lunch', content: 'x' })),
    });
    const newest = await send(from, 'lunch', moderator);
    const whole = { stream_id: to.id, propagate_mode: 'change_all' };
    expect(await move(moderator, newest, whole)).toMatchObject({
      status: 400,
      body: { code: 'LIMIT_REACHED', msg: 'At most 833 messages can be moved at once.' },
    });
    expect(await prisma().message.count({ where: { channelId: to.id } })).toBe(0);
    await moderator.api.delete(`/messages/${newest}`);
    const left = await prisma().message.findFirstOrThrow({ where: { channelId: from.id } });
    expect(await move(moderator, Number(left.id), whole)).toMatchObject(success);
    expect(await prisma().message.count({ where: { channelId: to.id } })).toBe(833);
  });

  it('lets two moves in opposite directions both succeed', async () => {
    const [one, other] = [await mail.addChannel([ada]), await mail.addChannel([ada])];
    const [first, second] = [await send(one), await send(other)];
    const answers = await Promise.all([
      move(ada, first, { stream_id: other.id }),
      move(ada, second, { stream_id: one.id }),
      ada.api.delete(`/messages/${first}`),
      send(one),
    ]);
    expect(answers[1]).toMatchObject(success);
    expect(answers[2]).toMatchObject(success);
    expect([200, 400]).toContain(answers[0].status);
  });
});
