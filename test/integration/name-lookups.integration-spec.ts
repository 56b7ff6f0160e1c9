import { beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { success } from '#test/answers';
import type { Reply } from '#test/http-request';
import { addOrganisation } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const organisation = useFixture(() => addOrganisation(system));
const owner = useFixture(() => organisation.addPerson({ role: roles.owner }));
let channelId: number;
let groupId: number;
let folderId: number;

const made = (reply: Reply, member: string): number => {
  expect(reply).toMatchObject(success);
  return Number(reply.body[member]);
};

beforeAll(async () => {
  const { api } = owner;
  channelId = made(await api.post('/channels/create', { name: 'own', subscribers: [] }), 'id');
  const folder = await api.post('/channel_folders/create', { name: 'own' });
  folderId = made(folder, 'channel_folder_id');
  const group = { name: 'own', description: '', members: [] };
  groupId = made(await api.post('/user_groups/create', group), 'group_id');
});

describe('a text that programs send too', () => {
  const hiding = 'a\u202Eb\u00ADc\u2066 \u{E0041}d';

  it('loses what hides others: a topic', async () => {
    const place = { type: 'channel', to: channelId, topic: hiding };
    const sent = await owner.api.post('/messages', { ...place, content: 'x' });
    const id = made(sent, 'id');
    const topic = async () => {
      const { body } = await owner.api.get(`/messages/${id}`);
      return (body['message'] as { subject: string }).subject;
    };
    expect(await topic()).toBe('abc d');
    const moved = await owner.api.patch(`/messages/${id}`, { topic: `${hiding}\u200B\u2067!` });
    expect(moved).toMatchObject(success);
    expect(await topic()).toBe('abc d!');
  });

  it('loses what hides others: a description', async () => {
    const created = await owner.api.post('/channels/create', {
      name: 'described',
      description: hiding,
      subscribers: [],
    });
    const { body } = await owner.api.get(`/streams/${made(created, 'id')}`);
    expect(body['stream']).toMatchObject({ description: 'abc d' });
    await owner.api.patch(`/user_groups/${groupId}`, { description: hiding });
    const { user_groups } = (await owner.api.get('/user_groups')).body;
    expect(user_groups).toContainEqual(
      expect.objectContaining({ id: groupId, description: 'abc d' }),
    );
    await owner.api.patch(`/channel_folders/${folderId}`, { description: hiding });
    const { channel_folders } = (await owner.api.get('/channel_folders')).body;
    expect(channel_folders).toContainEqual(expect.objectContaining({ description: 'abc d' }));
  });
});

describe('a name in another spelling', () => {
  const spellings = ['Find  Me', 'FIND ME', 'Find\u00A0Me', '\uFF26ind Me', 'F\u00ADind Me'];

  it('finds the channel, after the exact one', async () => {
    const created = await owner.api.post('/channels/create', { name: 'Find Me', subscribers: [] });
    const wantedId = made(created, 'id');
    for (const stream of ['Find Me', ...spellings]) {
      const found = await owner.api.get('/get_stream_id', { stream });
      expect([stream, found.body['stream_id']]).toEqual([stream, wantedId]);
      const narrow = [{ operator: 'channel', operand: stream }];
      const fields = { anchor: 'newest', num_before: 1, num_after: 0, narrow };
      expect([stream, await owner.api.get('/messages', fields)]).toMatchObject([stream, success]);
    }
    // Names from before they were compared so.
    const { prisma } = system.database.database;
    const twin = await prisma.channel.create({
      data: { realmId: organisation.id, name: 'find  me', creatorId: owner.id },
    });
    const exact = await owner.api.get('/get_stream_id', { stream: 'find  me' });
    expect(exact.body['stream_id']).toBe(twin.id);
    const cased = await owner.api.get('/get_stream_id', { stream: 'FIND ME' });
    expect(cased.body['stream_id']).toBe(wantedId);
  });
});

describe('a mention', () => {
  const mentions = async (content: string): Promise<string> => {
    const reply = await owner.api.post('/messages/render', { content });
    return /data-user(?:-group)?-id="(\d+)"/.exec(String(reply.body['rendered']))?.[1] ?? 'none';
  };

  it('means the exact spelling, then the oldest account', async () => {
    const [first, second, third] = [
      await organisation.addPerson({ fullName: 'Alice Hart' }),
      await organisation.addPerson({ fullName: 'alice hart' }),
      await organisation.addPerson({ fullName: 'alice hart' }),
    ];
    expect(third.id).toBeGreaterThan(second.id);
    expect(await mentions('@**Alice Hart**')).toBe(String(first.id));
    expect(await mentions('@**alice hart**')).toBe(String(second.id));
    expect(await mentions('@**ALICE HART**')).toBe(String(first.id));
    expect(await mentions('@**\uFF21LICE \u00A0Hart**')).toBe(String(first.id));
  });

  it('means a group by its exact spelling, if there are several from before', async () => {
    const { prisma } = system.database.database;
    const add = (name: string) =>
      prisma.userGroup.create({ data: { realmId: organisation.id, name } });
    const [first, second] = [await add('Mobile'), await add('mobile')];
    expect(await mentions('@*Mobile*')).toBe(String(first.id));
    expect(await mentions('@*mobile*')).toBe(String(second.id));
    expect(await mentions('@*MOBILE*')).toBe(String(first.id));
    expect(await mentions('@*M\u00ADobil\uFF25*')).toBe(String(first.id));
  });
});
