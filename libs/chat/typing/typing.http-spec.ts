import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, idOf, success } from '#test/answers';
import { EventClient, type ReceivedEvent } from '#test/event-client';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const ada = useFixture(() => mail.organisation.addPerson());
const bea = useFixture(() => mail.organisation.addPerson());

const type = (who: Person, fields: Record<string, unknown>) => who.api.post('/typing', fields);
const capable = {
  client_capabilities: { stream_typing_notifications: true, empty_topic_name: true },
};

/** A client whose gateway has answered a poll: from then on it gets ephemeral events. */
async function listen(who: Person, fields: object = {}): Promise<EventClient> {
  const client = await EventClient.register(who.api, { ...fields });
  await client.drain();
  return client;
}

const person = ({ id, email }: Person) => ({ user_id: id, email });

describe('POST /typing', () => {
  it('sends an event to all members of a direct conversation, also to a waiting poll', async () => {
    const [own, other] = [await listen(ada), await listen(bea)];
    const waiting = other.take();
    expect(await type(ada, { op: 'start', to: [bea.id] })).toMatchObject(success);
    const event = {
      id: expect.any(Number),
      type: 'typing',
      op: 'start',
      message_type: 'direct',
      sender: person(ada),
      recipients: [person(ada), person(bea)],
    };
    expect(await waiting).toEqual([event]);
    expect(await own.drain()).toEqual([event]);
    expect(await other.drain()).toEqual([]);
    await type(ada, { op: 'stop', to: [bea.id], type: 'direct' });
    expect(await other.drain()).toMatchObject([{ op: 'stop' }]);
  });

  it('gives ids between those of stored events', async () => {
    const client = await listen(bea);
    await type(ada, { op: 'start', to: [bea.id] });
    const id = idOf(await sendToPeople(ada, [bea]));
    const events = await client.drain();
    expect(events.map((event: ReceivedEvent) => event.type).toSorted()).toEqual([
      'message',
      'typing',
    ]);
    await type(ada, { op: 'stop', to: [bea.id] });
    await bea.api.post('/messages/flags', { messages: [id], op: 'add', flag: 'read' });
    expect(await client.drain()).toHaveLength(2);
    expect(client.ids).toEqual(client.ids.toSorted((one, two) => one - two));
    expect(new Set(client.ids).size).toBe(client.ids.length);
  });

  it('sends an event to subscribers whose client has the capability', async () => {
    const channel = await mail.addChannel([ada, bea]);
    const [modern, old] = [await listen(bea, capable), await listen(bea)];
    const fields = { type: 'channel', stream_id: channel.id, topic: '(no topic)' };
    expect(await type(ada, { op: 'start', ...fields })).toMatchObject(success);
    expect(await modern.drain()).toMatchObject([
      {
        type: 'typing',
        message_type: 'stream',
        sender: person(ada),
        stream_id: channel.id,
        topic: '',
      },
    ]);
    expect(await old.drain()).toEqual([]);
  });

  it('sends no event in a large channel', async () => {
    const channel = await mail.addChannel([ada, bea]);
    const crowd = await mail.addCrowd(99);
    await system.database.database.prisma.subscription.createMany({
      data: crowd.map(({ id: userId }) => ({ channelId: channel.id, userId })),
    });
    const client = await listen(bea, capable);
    const fields = { type: 'stream', stream_id: channel.id, topic: 'lunch' };
    expect(await type(ada, { op: 'start', ...fields })).toMatchObject(success);
    expect(await client.drain()).toEqual([]);
  });

  it('respects the settings of both sides', async () => {
    const silent = await mail.organisation.addPerson();
    const client = await listen(silent);
    await silent.api.patch('/settings', {
      receives_typing_notifications: false,
      send_private_typing_notifications: false,
      send_stream_typing_notifications: false,
    });
    await client.drain();
    await type(ada, { op: 'start', to: [silent.id] });
    expect(await client.drain()).toEqual([]);
    expect(await type(silent, { op: 'start', to: [ada.id] })).toMatchObject(
      badRequest('User has disabled typing notifications for direct messages'),
    );
    const channel = await mail.addChannel([silent]);
    const fields = { op: 'start', type: 'channel', stream_id: channel.id, topic: 'x' };
    expect(await type(silent, fields)).toMatchObject(
      badRequest('User has disabled typing notifications for channel messages'),
    );
  });

  it.each([
    [{ to: [1] }, "Missing 'op' argument"],
    [{ op: 'pause', to: [1] }, 'Invalid op'],
    [{ op: 'start' }, "Missing 'to' argument"],
    [{ op: 'start', to: [] }, "Empty 'to' list"],
    [{ op: 'start', to: 5 }, 'to is not a list'],
    [{ op: 'start', to: [1, 'x'] }, 'to[1] is not an integer'],
    [{ op: 'start', to: [999_999_999] }, 'Invalid user ID 999999999'],
    [{ op: 'start', type: 'channel', topic: 'x' }, "Missing 'stream_id' argument"],
    [{ op: 'start', type: 'stream', stream_id: 5 }, 'Missing topic'],
    [{ op: 'start', type: 'stream', stream_id: 2 ** 40, topic: 'x' }, 'Invalid channel ID'],
  ])('refuses %j', async (fields, msg) => {
    expect(await type(ada, fields)).toMatchObject({ status: 400, body: { msg } });
  });

  it('sends no event to a guest that cannot see a member of the conversation', async () => {
    const limited = await Correspondence.in(system);
    const [cleo, dan] = (await limited.organisation.addPeople(2)) as [Person, Person];
    const guest = await limited.organisation.addPerson({ role: roles.guest });
    await system.database.database.prisma.realm.update({
      where: { id: limited.organisation.id },
      data: { canAccessAllUsersGroupId: await limited.addGroup([cleo, dan]) },
    });
    await limited.addChannel([cleo, guest]);
    const [client, other] = [await listen(guest), await listen(dan)];
    await type(cleo, { op: 'start', to: [dan.id, guest.id] });
    expect(await other.drain()).toMatchObject([{ op: 'start' }]);
    await type(dan, { op: 'start', to: [guest.id] });
    await type(cleo, { op: 'stop', to: [guest.id] });
    expect(await client.drain()).toMatchObject([{ op: 'stop', sender: person(cleo) }]);
  });

  it('refuses a channel that the caller may not read', async () => {
    const channel = await mail.addChannel([ada], { isPrivate: true });
    const fields = { op: 'start', type: 'channel', stream_id: channel.id, topic: 'x' };
    expect(await type(bea, fields)).toMatchObject(badRequest('Invalid channel ID'));
  });
});

describe.each([
  ['/messages/{message_id}/typing', (id: number) => `/messages/${id}/typing`],
  ['/message_edit_typing/{message_id}', (id: number) => `/message_edit_typing/${id}`],
])('POST %s', (_, pathOf) => {
  const edit = (who: Person, id: number, op = 'start') => who.api.post(pathOf(id), { op });

  it('sends an event to the readers of the conversation or channel of the message', async () => {
    const direct = idOf(await sendToPeople(ada, [bea]));
    const inChannel = idOf(await sendToChannel(ada, await mail.addChannel([ada, bea])));
    const client = await listen(bea);
    expect(await edit(ada, direct)).toMatchObject(success);
    expect(await client.drain()).toMatchObject([
      {
        type: 'typing_edit_message',
        op: 'start',
        sender_id: ada.id,
        message_id: direct,
        recipient: { type: 'direct', user_ids: [ada.id, bea.id] },
      },
    ]);
    await edit(ada, inChannel, 'stop');
    expect(await client.drain()).toMatchObject([
      { op: 'stop', message_id: inChannel, recipient: { type: 'channel', topic: 'lunch' } },
    ]);
  });

  it('sends no event to subscribers who may not read the message', async () => {
    const cleo = await mail.organisation.addPerson();
    const channel = await mail.addChannel([ada, cleo], { isPrivate: true });
    const id = idOf(await sendToChannel(ada, channel, 'Hello', 'secret'));
    await system.database.database.prisma.subscription.create({
      data: { channelId: channel.id, userId: bea.id },
    });
    const [newcomer, reader] = [await listen(bea), await listen(cleo)];
    expect(await edit(ada, id)).toMatchObject(success);
    expect(await reader.drain()).toMatchObject([
      { message_id: id, recipient: { topic: 'secret' } },
    ]);
    expect(await newcomer.drain()).toEqual([]);
  });

  it('refuses the message of another account', async () => {
    const id = idOf(await sendToPeople(ada, [bea]));
    expect(await edit(bea, id)).toMatchObject(
      badRequest("You don't have permission to edit this message"),
    );
    expect(await edit(bea, 2 ** 40)).toMatchObject(badRequest('Invalid message(s)'));
  });
});
