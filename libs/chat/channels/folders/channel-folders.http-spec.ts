import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, success } from '#test/answers';
import { RecordedEvents } from '#test/recorded-events';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { OrganisationOfChannels } from '../channels-organisation.fixture.js';

const PATH = '/channel_folders';

const system = useGateway();
const world = useFixture(() => OrganisationOfChannels.add(system));
const recorded = useFixture(async () => new RecordedEvents(system, world.organisation));
const admin = useFixture(() => world.organisation.addPerson({ role: roles.administrator }));
const guest = useFixture(() => world.organisation.addPerson({ role: roles.guest }));

let names = 0;
const newName = () => `Folder ${(names += 1)}`;
const create = (name: string, fields: object = {}) =>
  admin.api.post(`${PATH}/create`, { name, ...fields });
const add = async (name = newName()) => Number((await create(name)).body['channel_folder_id']);
const change = (id: number, fields: Readonly<Record<string, unknown>>) =>
  admin.api.patch(`${PATH}/${id}`, fields);
const reorder = (order: readonly unknown[]) => admin.api.patch(PATH, { order });
const listAll = async () => {
  const { body } = await guest.api.get(PATH, { include_archived: true });
  return body['channel_folders'] as { id: number; name: string; order: number }[];
};
const idsOfAll = async () => (await listAll()).map(({ id }) => id);
const everyone = { everyone: 'all' };

describe('POST /channel_folders/create', () => {
  it('adds a folder behind the others, with its event', async () => {
    await add();
    const name = newName();
    const events = await recorded.during(() => create(` ${name} `, { description: '**Work**' }));
    const last = (await listAll()).at(-1);
    expect(last).toEqual({
      id: expect.any(Number),
      name,
      order: expect.any(Number),
      date_created: expect.any(Number),
      creator_id: admin.id,
      description: '**Work**',
      rendered_description: '<p><strong>Work</strong></p>',
      is_archived: false,
    });
    const body = { op: 'add', channel_folder: last };
    expect(events).toEqual([{ type: 'channel_folder', body, audience: everyone }]);
    const { body: state } = await guest.api.post('/register', {
      fetch_event_types: ['channel_folders'],
    });
    expect(state['channel_folders']).toEqual(await listAll());
  });

  it('gives a name to one of two folders only', async () => {
    const name = newName();
    const replies = await Promise.all([create(name), create(name.toUpperCase())]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect(replies.map(({ body }) => body['msg'])).toContain('Channel folder name already in use');
  });

  it.each([
    [' ', "Channel folder name can't be empty."],
    ['a\u0007b', 'Invalid character in channel folder name, at position 2.'],
    ['a'.repeat(61), 'name is too long (limit: 60 characters)'],
  ])('refuses the name %j', async (name, msg) => {
    expect(await create(name)).toMatchObject(badRequest(msg));
    expect(await change(await add(), { name })).toMatchObject(badRequest(msg));
  });

  it('is for administrators, as are the changes', async () => {
    const id = await add();
    const refused = { status: 400, body: { code: 'UNAUTHORIZED_PRINCIPAL' } };
    const moderator = await world.organisation.addPerson({ role: roles.moderator });
    const replies = [
      await moderator.api.post(`${PATH}/create`, { name: newName() }),
      await moderator.api.patch(`${PATH}/${id}`, { name: newName() }),
      await moderator.api.patch(PATH, { order: await idsOfAll() }),
    ];
    for (const reply of replies) expect(reply).toMatchObject(refused);
  });
});

describe('PATCH /channel_folders/{channel_folder_id}', () => {
  it('sends an event with the changed fields, and no event without a change', async () => {
    const [id, name] = [await add(), newName()];
    const data = { name, description: '*New*', rendered_description: '<p><em>New</em></p>' };
    const change1 = await recorded.during(() => change(id, { name, description: '*New*' }));
    expect(change1).toMatchObject([{ body: { op: 'update', channel_folder_id: id, data } }]);
    expect(await recorded.during(() => change(id, { name, is_archived: false }))).toEqual([]);
    const recased = await recorded.during(() => change(id, { name: name.toUpperCase() }));
    expect(recased).toMatchObject([{ body: { data: { name: name.toUpperCase() } } }]);
  });

  it('archives a folder without active channels, whose name is then free', async () => {
    const name = newName();
    const id = await add(name);
    const channel = await world.addChannel(newName());
    const put = (folder_id: number | null) => admin.api.patch(`/streams/${channel}`, { folder_id });
    expect(await put(id)).toMatchObject(success);
    expect(await change(id, { is_archived: true })).toMatchObject(
      badRequest('You need to remove all the channels from this folder to archive it.'),
    );
    expect(await put(null)).toMatchObject(success);
    const events = await recorded.during(() => change(id, { is_archived: true }));
    expect(events).toMatchObject([{ body: { data: { is_archived: true } } }]);
    expect(await put(id)).toMatchObject(badRequest('Invalid channel folder ID'));
    const { body } = await guest.api.get(PATH);
    expect(body['channel_folders']).not.toContainEqual(expect.objectContaining({ id }));
    expect(await create(name)).toMatchObject(success);
    expect(await change(id, { is_archived: false })).toMatchObject(
      badRequest('Channel folder name already in use'),
    );
    expect(await change(id, { is_archived: false, name: newName() })).toMatchObject(success);
    expect(await put(id)).toMatchObject(success);
  });

  it('never archives a folder that gets a channel at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [id, channel] = [await add(), await world.addChannel(newName())];
      const replies = await Promise.all([
        admin.api.patch(`/streams/${channel}`, { folder_id: id }),
        change(id, { is_archived: true }),
      ]);
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    }
  });

  it('refuses unknown folders', async () => {
    const foreign = await OrganisationOfChannels.add(system);
    const { id } = await system.database.database.prisma.channelFolder.create({
      data: { realmId: foreign.organisation.id, name: 'Foreign' },
    });
    for (const unknown of [id, 2_147_483_647]) {
      expect(await change(unknown, { name: newName() })).toMatchObject(
        badRequest('Invalid channel folder ID'),
      );
    }
  });
});

describe('PATCH /channel_folders', () => {
  it('puts the folders into the order, with one event', async () => {
    await Promise.all([add(), add(), add()]);
    const order = (await idsOfAll()).toReversed();
    const events = await recorded.during(() => reorder(order));
    expect(events).toEqual([
      { type: 'channel_folder', body: { op: 'reorder', order }, audience: everyone },
    ]);
    expect((await listAll()).map(({ id, order: place }) => [id, place])).toEqual(
      order.map((id, index) => [id, index]),
    );
    expect(await recorded.during(() => reorder(order))).toEqual([]);
  });

  it('needs each folder exactly once', async () => {
    const [first = 0, ...others] = [await add(), ...(await idsOfAll())];
    const ids = await idsOfAll();
    for (const order of [[], others.slice(1), [...ids, first], [...ids.slice(1), 2_147_483_648]]) {
      expect(await reorder(order)).toMatchObject(badRequest('Invalid order mapping.'));
    }
  });

  it('keeps an order with every folder when a folder is added at the same time', async () => {
    const order = (await idsOfAll()).toReversed();
    await Promise.all([reorder(order), add()]);
    const places = (await listAll()).map(({ order: place }) => place);
    expect(new Set(places).size).toBe(places.length);
  });
});
