import { describe, expect, it } from '@jest/globals';
import { idOf } from '#test/answers';
import { EventClient, type ReceivedEvent } from '#test/event-client';
import { roles } from '#directory/roles';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { addGroup } from '#test/user-groups';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const sender = useFixture(() => mail.organisation.addPerson({ fullName: 'Sven Sender' }));

interface Registration {
  readonly person: Person;
  readonly queueId: string;
  readonly state: Readonly<Record<string, unknown>>;
  last: number;
}

const capabilities = { client_capabilities: { empty_topic_name: true } };

async function register(person: Person, fields: object = capabilities): Promise<Registration> {
  const { status, body } = await person.api.post('/register', { ...fields });
  expect(status).toBe(200);
  const { queue_id, last_event_id } = body;
  return { person, queueId: String(queue_id), state: body, last: Number(last_event_id) };
}

/** All events of a queue until now. The event of a new snippet shows that the earlier ones have arrived. */
async function eventsOf(client: Registration): Promise<ReceivedEvent[]> {
  const { person, queueId } = client;
  await person.api.post('/saved_snippets', { title: 'end', content: 'x' });
  const all: ReceivedEvent[] = [];
  while (all.at(-1)?.type !== 'saved_snippets') {
    const query = { queue_id: queueId, last_event_id: client.last };
    const { status, body } = await person.api.get('/events', query);
    expect(status).toBe(200);
    const events = body['events'] as ReceivedEvent[];
    all.push(...events);
    client.last = all.at(-1)?.id ?? client.last;
  }
  return all.slice(0, -1).filter(({ type }) => type !== 'saved_snippets');
}

describe('A queue', () => {
  it('gets messages with the flags of its account, and the local id of its own', async () => {
    const reader = await mail.organisation.addPerson({ fullName: 'Rita Reader' });
    const channel = await mail.addChannel([sender, reader]);
    const fields = { event_types: ['message', 'saved_snippets'] };
    const [receiving, sending] = [await register(reader, fields), await register(sender, fields)];
    const elsewhere = await register(sender, fields);
    const { body } = await sender.api.post('/messages', {
      type: 'channel',
      to: channel.id,
      topic: 'lunch',
      content: `**Hi** @**Rita Reader|${reader.id}**`,
      queue_id: sending.queueId,
      local_id: '1.01',
    });
    const message = expect.objectContaining({ id: body['id'], content_type: 'text/x-markdown' });
    const id = expect.any(Number);
    const event = { type: 'message', id, message };
    expect(await eventsOf(receiving)).toEqual([{ ...event, flags: ['mentioned'] }]);
    expect(await eventsOf(sending)).toEqual([
      { ...event, flags: ['read'], local_message_id: '1.01' },
    ]);
    expect(await eventsOf(elsewhere)).toEqual([{ ...event, flags: ['read'] }]);
  });

  it('gets only messages in its narrow', async () => {
    const reader = await mail.organisation.addPerson();
    const channel = await mail.addChannel([sender, reader]);
    const client = await register(reader, {
      event_types: ['message', 'saved_snippets'],
      narrow: [
        ['stream', channel.name.toUpperCase()],
        ['topic', 'Dinner'],
      ],
    });
    await sendToChannel(sender, channel);
    await sendToPeople(sender, [reader]);
    const id = idOf(await sendToChannel(sender, channel, 'Hi', 'dinner'));
    expect(await eventsOf(client)).toMatchObject([{ message: { id } }]);
  });

  it('gets messages of all public channels on request', async () => {
    const listener = await mail.organisation.addPerson();
    const fields = { event_types: ['message', 'saved_snippets'] };
    const all = await register(listener, { ...fields, all_public_streams: true });
    const usual = await register(listener, fields);
    await sendToChannel(sender, await mail.addChannel([sender], { isPrivate: true }));
    const id = idOf(await sendToChannel(sender, await mail.addChannel([sender])));
    expect(await eventsOf(all)).toMatchObject([{ message: { id }, flags: [] }]);
    expect(await eventsOf(usual)).toEqual([]);
  });
});

describe('A queue of a guest that may see only some accounts', () => {
  it('gets the members of a new conversation and their statuses before its first message', async () => {
    const { organisation } = await Correspondence.in(system);
    const stranger = await organisation.addPerson({ fullName: 'Stella Stranger' });
    await stranger.api.post('/users/me/status', { status_text: 'Out' });
    const canAccessAllUsersGroupId = await addGroup(system, organisation, {
      members: [stranger.id],
    });
    await system.database.database.prisma.realm.update({
      where: { id: organisation.id },
      data: { canAccessAllUsersGroupId },
    });
    const guest = await organisation.addPerson({ role: roles.guest });
    const types = { event_types: ['realm_user', 'user_status', 'message'] };
    const client = await EventClient.register(guest.api, types);
    await sendToPeople(stranger, [guest]);
    const { id: user_id } = stranger;
    const person = { user_id, full_name: 'Stella Stranger', is_active: true };
    expect(await client.take()).toMatchObject([
      { type: 'realm_user', op: 'add', person },
      { type: 'user_status', user_id, status_text: 'Out' },
      { type: 'message' },
    ]);
    await sendToPeople(guest, [stranger]);
    expect(await client.take()).toMatchObject([{ type: 'message' }]);
  });
});
