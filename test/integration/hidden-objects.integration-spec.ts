import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { idOf, success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { eventually } from '#test/eventually';
import { Correspondence, sendToChannel } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { isForServers, operations } from '../performance/endpoint-operations.fixture.js';

const system = useGateway();

const prisma = () => system.database.database.prisma;

/** Parameters without which a `GET` would not look at the objects of a test. */
const queries: Record<string, Record<string, unknown>> = {
  '/messages': { anchor: 'newest', num_before: 1000, num_after: 0, apply_markdown: false },
  '/users/me/{stream_id}/topics': { allow_empty_topic_name: true },
};

/** The answers to a reader of every `GET` of the OpenAPI document, for objects with these ids. */
async function everythingFor(
  { api }: Person,
  ids: Readonly<Record<string, readonly number[]>>,
): Promise<string> {
  const reads = operations().filter(
    (one) => one.method === 'GET' && !isForServers(one) && one.path !== '/events',
  );
  const texts = reads.flatMap(({ path }) => {
    const [whole, name] = /\{(\w+)\}/.exec(path) ?? [];
    const given = whole === undefined ? [''] : (ids[name ?? ''] ?? [1]);
    return given.map(async (id) => {
      const url = path.replaceAll(/\{\w+\}/g, String(id));
      return `${url} ${(await api.get(url, queries[path])).text}\n`;
    });
  });
  const { text } = await api.post('/register', {
    fetch_event_types: null,
    client_capabilities: { archived_channels: true, include_deactivated_groups: true },
  });
  return [...(await Promise.all(texts)), text].join('');
}

const inPlace = (operand: string | number) => ({ operator: 'channel', operand });

/** The answer to a reader who searches. */
async function foundBy({ api }: Person, ...narrow: object[]): Promise<string> {
  const fields = { anchor: 'newest', num_before: 100, num_after: 0, narrow };
  return (await api.get('/messages', fields)).text;
}

/** Waits for the notice of a move. */
const untilNotice = (channel: Awaited<ReturnType<Correspondence['addChannel']>>, text: string) =>
  eventually(async () => {
    const found = await prisma().message.findFirst({
      where: { channelId: channel.id, content: { contains: text } },
    });
    expect(found).not.toBeNull();
    return found;
  });

describe('an object that an account may not see', () => {
  it.each([
    ['a member', { role: roles.member }, { isPrivate: true }],
    [
      'a member of a channel with its history',
      { role: roles.member },
      { isHistoryPublic: true, isPrivate: true },
    ],
    ['a guest, of a public channel', { role: roles.guest }, {}],
  ])('is not told by a move to another channel: %s', async (_who, traits, kind) => {
    const mail = await Correspondence.in(system);
    const mover = await mail.organisation.addPerson({ role: roles.administrator });
    const reader = await mail.organisation.addPerson(traits);
    const insider = await mail.organisation.addPerson();
    const from = await mail.addChannel([mover, insider], { ...kind, name: 'the kumquat place' });
    const to = await mail.addChannel([mover, reader, insider]);
    const id = idOf(await sendToChannel(mover, from, 'a kumquat text', 'a kumquat topic'));
    for (const content of ['a kumquat version', 'an open text'])
      expect(await mover.api.patch(`/messages/${id}`, { content })).toMatchObject(success);
    expect(await mover.api.patch(`/messages/${id}`, { topic: 'kumquat too' })).toMatchObject(
      success,
    );
    const clients = await Promise.all(
      [reader, insider].map(({ api }) => EventClient.register(api)),
    );
    const move = { stream_id: to.id, topic: 'open', send_notification_to_old_thread: true };
    expect(await mover.api.patch(`/messages/${id}`, move)).toMatchObject(success);
    await untilNotice(to, 'moved here');
    const [events, complete] = await Promise.all(
      clients.map(async (client) => JSON.stringify(await client.drain())),
    );
    const ids = { message_id: [id], stream_id: [from.id, to.id], channel_id: [from.id, to.id] };
    const told = `${await everythingFor(reader, ids)}${events}`;
    expect(told).toContain('an open text');
    expect(told.match(/.{0,80}kumquat.{0,20}/g)).toBeNull();
    expect(told).not.toMatch(new RegExp(`"(?:prev_stream|(?:orig_)?stream_id)":${from.id}\\b`));
    const search = (operand: string) =>
      foundBy(reader, inPlace(to.id), { operator: 'search', operand });
    expect(await search('kumquat')).toContain('"messages":[]');
    expect(await search('open text')).toContain(`"id":${id},`);
    // Its name is as unknown as one that no channel has.
    const named = await Promise.all(
      [from.name, 'the durian place'].map((operand) => foundBy(reader, inPlace(operand))),
    );
    expect(named[0]?.replaceAll('kumquat', 'durian')).toBe(named[1]);
    // The same search finds all of it for somebody who may see it.
    const known = `${await everythingFor(insider, ids)}${complete}`;
    for (const what of ['place', 'text', 'topic', 'version', 'too'])
      expect(known).toMatch(new RegExp(`kumquat ${what}`));
    expect(events).toMatch(new RegExp(`"type":"update_message",[^}]*"stream_id":${to.id}\\b`));
    expect(complete).toMatch(new RegExp(`"type":"update_message",[^}]*"stream_id":${from.id}\\b`));
  });

  it('is not told to the readers of the place that messages leave', async () => {
    const mail = await Correspondence.in(system);
    const mover = await mail.organisation.addPerson({ role: roles.administrator });
    const reader = await mail.organisation.addPerson();
    const from = await mail.addChannel([mover, reader]);
    const to = await mail.addChannel([mover], { isPrivate: true, name: 'the kumquat place' });
    const id = idOf(await sendToChannel(mover, from, 'an open text', 'open'));
    const client = await EventClient.register(reader.api);
    const move = {
      stream_id: to.id,
      topic: 'a kumquat topic',
      send_notification_to_old_thread: true,
    };
    expect(await mover.api.patch(`/messages/${id}`, move)).toMatchObject(success);
    await untilNotice(from, 'moved to');
    const ids = { message_id: [id], stream_id: [from.id, to.id], channel_id: [from.id, to.id] };
    const told = `${await everythingFor(reader, ids)}${JSON.stringify(await client.drain())}`;
    expect(told).toContain('moved to another channel');
    expect(told.match(/.{0,80}kumquat.{0,20}/g)).toBeNull();
  });

  it('is not named to guests in notices: an account', async () => {
    const mail = await Correspondence.in(system);
    const { organisation } = mail;
    const members = await prisma().userGroup.findFirstOrThrow({
      where: { realmId: organisation.id, name: 'role:members' },
    });
    await prisma().realm.update({
      where: { id: organisation.id },
      data: { canAccessAllUsersGroupId: members.id },
    });
    const hidden = await organisation.addPerson({
      role: roles.administrator,
      fullName: 'Hidden Ann',
    });
    const shown = await organisation.addPerson({
      role: roles.administrator,
      fullName: 'Shown Bob',
    });
    const guest = await organisation.addPerson({ role: roles.guest });
    const channel = await mail.addChannel([shown, guest]);
    const client = await EventClient.register(guest.api);
    for (const [who, name] of [
      [hidden, 'one'],
      [shown, 'two'],
    ] as const) {
      const id = idOf(await sendToChannel(shown, channel, 'Hello', name));
      await who.api.patch(`/messages/${id}`, { topic: `✔ ${name}`, propagate_mode: 'change_all' });
      await who.api.patch(`/streams/${channel.id}`, { description: `Changed by ${who.id}` });
      const added = { add: [guest.id], name: `group of ${name}`, description: '', members: [] };
      const group = await who.api.post('/user_groups/create', added);
      await who.api.post(`/user_groups/${String(group.body['group_id'])}/members`, {
        add: [guest.id],
      });
    }
    await untilNotice(channel, 'Shown Bob');
    await eventually(async () => {
      const told = `${await everythingFor(guest, {})}${JSON.stringify(await client.drain())}`;
      expect(told).toContain('Unknown user has marked this topic as resolved');
      expect(told).toContain('Unknown user added you to the group');
      expect(told).toMatch(/Shown Bob[^"]* has marked this topic as resolved/);
      expect(told).not.toContain('Hidden Ann');
    });
  });
});
