import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, idOf, success } from '#test/answers';
import { countStatements } from '#test/count-statements';
import { EventClient } from '#test/event-client';
import { NotifiedPeople } from '#test/message-notifications-world';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const ada = useFixture(() => mail.organisation.addPerson());
const bea = useFixture(() => mail.organisation.addPerson());
const admin = useFixture(() => mail.organisation.addPerson({ role: roles.administrator }));

const prisma = () => system.database.database.prisma;
const remove = (who: Person, id: number) => who.api.delete(`/messages/${id}`);
const mayNot = badRequest("You don't have permission to delete this message");
const invalid = badRequest('Invalid message(s)');
const allCapable = { client_capabilities: { bulk_message_deletion: true, empty_topic_name: true } };

describe('DELETE /messages/{message_id}', () => {
  it('deletes a direct message, and sends events to all readers in the form of their client', async () => {
    const id = idOf(await sendToPeople(ada, [bea]));
    const capable = await EventClient.register(ada.api, allCapable);
    const other = await EventClient.register(bea.api);
    expect(await remove(ada, id)).toMatchObject(success);
    const deletion = { type: 'delete_message', message_type: 'private' };
    expect(await capable.drain()).toEqual([
      { ...deletion, message_ids: [id], id: expect.any(Number) },
    ]);
    expect(await other.drain()).toEqual([{ ...deletion, message_id: id, id: expect.any(Number) }]);
    expect(await bea.api.get(`/messages/${id}`)).toMatchObject(invalid);
    expect(await remove(ada, id)).toMatchObject(invalid);
  });

  it('sends events with the topic to subscribers who can read the history, and to the actor', async () => {
    const channel = await mail.addChannel([ada]);
    const id = idOf(await sendToChannel(ada, channel, 'Hello', 'general chat'));
    await prisma().subscription.create({ data: { channelId: channel.id, userId: bea.id } });
    const clients = [
      await EventClient.register(bea.api, allCapable),
      await EventClient.register(admin.api),
    ];
    await remove(admin, id);
    const [late, actor] = await Promise.all(clients.map((client) => client.drain()));
    const deletion = { type: 'delete_message', message_type: 'stream', stream_id: channel.id };
    expect(late?.[0]).toMatchObject({ ...deletion, topic: '', message_ids: [id] });
    expect(actor?.[0]).toMatchObject({ ...deletion, topic: 'general chat', message_id: id });
  });

  it('removes the star of an account that may no longer read the message', async () => {
    const channel = await mail.addChannel([ada, bea], { isPrivate: true });
    const id = idOf(await sendToChannel(ada, channel, 'Hello', 'secret'));
    await bea.api.post('/messages/flags', { messages: [id], op: 'add', flag: 'starred' });
    await prisma().subscription.updateMany({
      where: { channelId: channel.id, userId: bea.id },
      data: { isActive: false },
    });
    const client = await EventClient.register(bea.api);
    expect(client.state['starred_messages']).toContain(id);
    await remove(ada, id);
    expect(await client.drain()).toMatchObject([
      { type: 'update_message_flags', op: 'remove', flag: 'starred', messages: [id] },
    ]);
  });

  it('sets the first message of the channel anew', async () => {
    const channel = await mail.addChannel([ada]);
    const [first, second] = [
      idOf(await sendToChannel(ada, channel)),
      idOf(await sendToChannel(ada, channel)),
    ];
    const client = await EventClient.register(bea.api);
    const changed = {
      type: 'stream',
      op: 'update',
      stream_id: channel.id,
      property: 'first_message_id',
    };
    await remove(ada, first);
    expect(await client.drain()).toMatchObject([{ ...changed, value: second }]);
    await remove(ada, second);
    expect(await client.drain()).toMatchObject([{ ...changed, value: null }]);
  });

  it('removes the links to files, and sends an event to their owner', async () => {
    const file = await mail.addFile(ada);
    const id = idOf(await sendToPeople(ada, [bea], `[plan](${file.url})`));
    const client = await EventClient.register(ada.api, { event_types: ['attachment'] });
    await remove(ada, id);
    expect(await client.drain()).toMatchObject([
      { op: 'update', attachment: { id: file.id, message_ids: [] } },
    ]);
  });

  it('removes the notifications from phones', async () => {
    const people = await NotifiedPeople.in(system);
    const [sender, reader] = [await people.add(), await people.add()];
    const id = idOf(await sendToPeople(sender, [reader]));
    await remove(sender, id);
    expect((await people.of(reader)).filter(({ kind }) => kind === 'remove')).toMatchObject([
      { content: { kind: 'remove', messageIds: [id] } },
    ]);
  });

  it('is allowed to administrators, to owners of bots, and by the channel', async () => {
    const bot = await mail.organisation.addPerson({ isBot: true, botOwnerId: bea.id });
    const group = await mail.addGroup([bea]);
    const channel = await mail.addChannel([ada, bea, bot]);
    const [own, ofBot, ofOther] = [
      idOf(await sendToChannel(ada, channel)),
      idOf(await sendToChannel(bot, channel)),
      idOf(await sendToChannel(ada, channel)),
    ];
    expect(await remove(bea, own)).toMatchObject(mayNot);
    expect(await remove(admin, own)).toMatchObject(success);
    expect(await remove(bea, ofBot)).toMatchObject(success);
    await prisma().channel.update({
      where: { id: channel.id },
      data: { canDeleteAnyMessageId: group },
    });
    expect(await remove(bea, ofOther)).toMatchObject(success);
  });

  it('of messages of others is not allowed to guests, also as holders of the permission', async () => {
    const guest = await mail.organisation.addPerson({ role: roles.guest });
    const canDeleteAnyMessageId = await mail.addGroup([guest]);
    const channel = await mail.addChannel([ada, guest], { canDeleteAnyMessageId });
    const id = idOf(await sendToChannel(ada, channel));
    expect(await remove(guest, id)).toMatchObject(mayNot);
    expect(await remove(guest, idOf(await sendToChannel(guest, channel)))).toMatchObject(success);
  });

  it('refuses what the caller may not read', async () => {
    const channel = await mail.addChannel([ada], { isPrivate: true });
    const id = idOf(await sendToChannel(ada, channel));
    for (const who of [bea, admin]) expect(await remove(who, id)).toMatchObject(invalid);
  });

  it('serves one of two requests, and refuses the other', async () => {
    const id = idOf(await sendToPeople(ada, [bea]));
    const answers = await Promise.all([1, 2, 3].map(() => remove(ada, id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of answers) {
      if (status === 200) continue;
      expect([mayNot.body.msg, 'Message already deleted', 'Invalid message(s)']).toContain(
        body['msg'],
      );
    }
  });

  it('works beside reactions and flags of others', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = idOf(await sendToChannel(ada, await mail.addChannel([ada])));
      const [deleted, ...others] = await Promise.all([
        remove(ada, id),
        bea.api.post(`/messages/${id}/reactions`, { emoji_name: 'tada' }),
        bea.api.post('/messages/flags', { messages: [id], op: 'add', flag: 'starred' }),
      ]);
      expect(deleted).toMatchObject(success);
      for (const { status } of others) expect([200, 400]).toContain(status);
    }
  });

  it('takes as many statements for many readers as for few', async () => {
    // The gateway reads the new events of an organisation with queues, at any moment: this one has none.
    const quiet = await Correspondence.in(system);
    const writer = await quiet.organisation.addPerson();
    const crowd = await quiet.addCrowd(300);
    const few = await quiet.addChannel([writer]);
    const many = await quiet.addChannel([writer]);
    await prisma().subscription.createMany({
      data: crowd.map(({ id: userId }) => ({ channelId: many.id, userId })),
    });
    const cost = async (channel: { readonly id: number }) => {
      const id = idOf(await sendToChannel(writer, channel));
      return countStatements(() => remove(writer, id));
    };
    await cost(few);
    expect(await cost(many)).toBe(await cost(few));
  });
});
