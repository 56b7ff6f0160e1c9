import { describe, expect, it } from '@jest/globals';
import { badRequest, success } from '#test/answers';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { archive, change, read, useChanging } from './changing.fixture.js';

const system = useGateway();
const { world, recorded, owner, admin, member, guest } = useChanging(system);

let names = 0;
const newName = () => `Changing ${(names += 1)}`;

type Event = { type: string; body: Record<string, unknown>; audience: object };
const during = async (work: () => Promise<unknown>) =>
  ((await recorded.during(work)) as Event[]).filter(({ type }) => type !== 'message');
/** Without the events that follow from the notices. */
const changesIn = (events: Event[]) =>
  events
    .filter(
      ({ body }) => !['first_message_id', 'is_recently_active'].includes(`${body['property']}`),
    )
    .map(({ body, audience }) => [body['op'], body['property'], body['value'], audience]);

describe('PATCH /streams/{stream_id}', () => {
  it('changes all given properties, with an event for each', async () => {
    const name = newName();
    const id = await world.addChannel(name, { description: 'Old' }, [guest]);
    const { prisma } = system.database.database;
    const realmId = world.organisation.id;
    const { id: folder } = await prisma.channelFolder.create({ data: { realmId, name } });
    const everyone = { everyone: 'members', userIds: [guest.id] };
    const holders = { direct_members: [member.id], direct_subgroups: [] };
    const events = await during(async () => {
      expect(
        await change(owner, id, {
          new_name: `${name}!`,
          description: '*New*',
          message_retention_days: 30,
          topics_policy: 'disable_empty_topic',
          folder_id: folder,
          default_push_notifications: true,
          can_send_message_group: { new: holders },
        }),
      ).toMatchObject(success);
    });
    expect(changesIn(events)).toEqual([
      ['update', 'description', '*New*', everyone],
      ['update', 'message_retention_days', 30, everyone],
      ['update', 'topics_policy', 'disable_empty_topic', everyone],
      ['update', 'folder_id', folder, everyone],
      ['update', 'default_push_notifications', true, everyone],
      ['update', 'can_send_message_group', holders, everyone],
      ['update', 'name', `${name}!`, everyone],
    ]);
    expect(events[0]?.body).toMatchObject({
      stream_id: id,
      name,
      rendered_description: '<p><em>New</em></p>',
    });
    expect(await read(member, id)).toMatchObject({
      name: `${name}!`,
      description: '*New*',
      message_retention_days: 30,
      folder_id: folder,
    });
    expect(await during(() => change(owner, id, { folder_id: folder }))).toEqual([]);
  });

  it('is for administrators of the organisation and of the channel', async () => {
    const canAdministerChannelId = await world.addAnonymousGroup([member.id], []);
    const open = await world.addChannel(newName());
    const own = await world.addChannel(newName(), { canAdministerChannelId });
    const hidden = await world.addChannel(newName(), { isPrivate: true });
    const fields = { description: 'New' };
    expect(await change(member, open, fields)).toMatchObject({
      status: 400,
      body: {
        code: 'CANNOT_ADMINISTER_CHANNEL',
        msg: 'You do not have permission to administer this channel.',
      },
    });
    expect(await archive(member, open)).toMatchObject({ status: 400 });
    expect(await change(member, own, fields)).toMatchObject(success);
    expect(await change(admin, hidden, fields)).toMatchObject(success);
    for (const send of [change, archive] as const) {
      expect(await send(member, hidden, fields)).toMatchObject(badRequest('Invalid channel ID'));
    }
    expect(await change(admin, hidden, { is_private: false })).toMatchObject(
      badRequest('Channel content access is required.'),
    );
    expect(await change(admin, open, { message_retention_days: 3 })).toMatchObject({
      body: { msg: 'Must be an organization owner' },
    });
    expect(await change(member, own, { is_default_stream: true })).toMatchObject({
      body: { msg: 'Must be an organization administrator' },
    });
  });

  it('is not for guests, also as holders of the permission', async () => {
    const canAdministerChannelId = await world.addAnonymousGroup([guest.id], []);
    const id = await world.addChannel(newName(), { canAdministerChannelId }, [guest]);
    const refused = { status: 400, body: { code: 'CANNOT_ADMINISTER_CHANNEL' } };
    expect(await change(guest, id, { is_private: false })).toMatchObject(refused);
    expect(await archive(guest, id)).toMatchObject(refused);
  });

  it('refuses invalid values without a change', async () => {
    const name = newName();
    const id = await world.addChannel(name, { isDefault: true });
    const taken = newName();
    await world.addChannel(taken);
    const everyone = await world.systemGroup('role:everyone');
    const refusals: [Record<string, unknown>, string][] = [
      [{ new_name: ' ' }, "Channel name can't be empty."],
      [{ new_name: 'x'.repeat(61) }, 'Channel name too long (limit: 60 characters).'],
      [{ new_name: taken.toUpperCase() }, 'Channel name already in use.'],
      [{ is_web_public: true }, 'Web-public channels are not enabled.'],
      [{ is_private: true }, 'A default channel cannot be private.'],
      [{ folder_id: 2_000_000 }, 'Invalid channel folder ID'],
      [{ folder_id: 2 ** 40 }, 'Invalid channel folder ID'],
      [
        { stream_post_policy: 2 },
        "This server does not support the parameter 'stream_post_policy'.",
      ],
      [
        { can_administer_channel_group: { new: everyone } },
        "'can_administer_channel_group' setting cannot be set to 'role:everyone' group.",
      ],
      [
        { can_subscribe_group: { new: { direct_members: [], direct_subgroups: [everyone] } } },
        "'can_subscribe_group' setting cannot be set to 'role:everyone' group.",
      ],
    ];
    for (const [fields, msg] of refusals) {
      expect(await change(admin, id, { description: 'x', ...fields })).toMatchObject(
        badRequest(msg),
      );
    }
    const outdated = { new: everyone, old: await world.systemGroup('role:nobody') };
    expect(await change(admin, id, { can_send_message_group: outdated })).toMatchObject({
      body: { code: 'EXPECTATION_MISMATCH' },
    });
    expect(await read(admin, id)).toMatchObject({ name, description: '' });
  });

  it('hides a channel that becomes private, and shows one that becomes public', async () => {
    const name = newName();
    const id = await world.addChannel(name, {}, [admin, guest]);
    const hidden = changesIn(await during(() => change(admin, id, { is_private: true })));
    const listed = [owner.id, admin.id, guest.id];
    expect(hidden).toEqual([
      ['update', 'invite_only', true, { userIds: listed }],
      ['delete', undefined, undefined, { everyone: 'members', exceptIds: listed }],
    ]);
    expect(await member.api.get(`/streams/${id}`)).toMatchObject({ status: 400 });
    const shown = await during(() => change(admin, id, { is_private: false }));
    const gaining = { everyone: 'members', exceptIds: listed };
    expect(changesIn(shown)).toEqual([
      ['create', undefined, undefined, gaining],
      ['update', 'invite_only', false, { userIds: listed }],
      ['peer_add', undefined, undefined, gaining],
    ]);
    expect(shown[1]?.body).toMatchObject({
      history_public_to_subscribers: true,
      is_web_public: false,
    });
  });

  it('shows new subscribers the history of a private channel, or hides it', async () => {
    const id = await world.addChannel(newName(), { isPrivate: true }, [admin]);
    for (const history_public_to_subscribers of [true, false]) {
      const fields = { history_public_to_subscribers };
      expect(await change(admin, id, fields)).toMatchObject(success);
      expect(await read(admin, id)).toMatchObject({ ...fields, invite_only: true });
    }
  });

  it('ends the access of everyone to a web-public channel', async () => {
    const id = await world.addChannel(newName(), { isWebPublic: true }, [admin]);
    const members = changesIn(await during(() => change(admin, id, { is_web_public: false })));
    expect(members).toEqual([
      ['update', 'invite_only', false, { everyone: 'members' }],
      ['delete', undefined, undefined, { userIds: [guest.id] }],
    ]);
    expect(await read(member, id)).toMatchObject({ is_web_public: false });
    expect(await guest.api.get(`/streams/${id}`)).toMatchObject({ status: 400 });
    expect(await during(() => change(admin, id, { is_web_public: false }))).toEqual([]);
  });

  it('ends it with a channel that becomes private', async () => {
    const id = await world.addChannel(newName(), { isWebPublic: true }, [admin]);
    const closed = changesIn(await during(() => change(admin, id, { is_private: true })));
    const listed = [owner.id, admin.id];
    expect(closed).toEqual([
      ['update', 'invite_only', true, { userIds: listed }],
      ['delete', undefined, undefined, { everyone: 'all', exceptIds: listed }],
    ]);
    expect(await read(admin, id)).toMatchObject({ is_web_public: false, invite_only: true });
    expect(await member.api.get(`/streams/${id}`)).toMatchObject({ status: 400 });
  });

  it('shows a private channel to those who may subscribe from now on', async () => {
    const id = await world.addChannel(newName(), { isPrivate: true }, [admin]);
    const set = (userIds: number[]) => ({
      can_subscribe_group: { new: { direct_members: userIds, direct_subgroups: [] } },
    });
    const shown = changesIn(await during(() => change(admin, id, set([member.id]))));
    expect(shown.map(([op, , , audience]) => [op, audience])).toEqual([
      ['create', { userIds: [member.id] }],
      ['update', { userIds: [owner.id, admin.id] }],
      ['peer_add', { userIds: [member.id] }],
    ]);
    const hidden = changesIn(await during(() => change(admin, id, set([]))));
    expect(hidden.map(([op, , , audience]) => [op, audience])).toEqual([
      ['update', { userIds: [owner.id, admin.id] }],
      ['delete', { userIds: [member.id] }],
    ]);
  });

  it('allows only the empty topic in a channel without topics', async () => {
    const name = newName();
    const id = await world.addChannel(name, {}, [admin]);
    const only = { topics_policy: 'empty_topic_only' };
    const send = (topic: string) =>
      admin.api.post('/messages', { type: 'channel', to: id, topic, content: 'Hello' });
    expect(await send('')).toMatchObject(success);
    expect(await change(admin, id, only)).toMatchObject(success);
    expect(await change(admin, id, { topics_policy: 'inherit' })).toMatchObject(success);
    const { body } = await send('lunch');
    expect(await change(admin, id, only)).toMatchObject(
      badRequest('Move the messages of this channel to the general chat topic first.'),
    );
    expect(await read(admin, id)).toMatchObject({ topics_policy: 'inherit' });
    expect(await admin.api.delete(`/messages/${String(body['id'])}`)).toMatchObject(success);
    expect(await change(admin, id, only)).toMatchObject(success);
  });

  it('gives a name to one of two channels only', async () => {
    const ids = await Promise.all([1, 2].map(() => world.addChannel(newName())));
    const name = newName();
    const replies = await Promise.all(ids.map((id) => change(admin, id, { new_name: name })));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });
});

describe('POST /channels/create', () => {
  const create = ({ api }: Person, name: string, fields: object = {}) =>
    api.post('/channels/create', { name, subscribers: [], ...fields });

  it('creates a channel once, with its subscribers', async () => {
    const name = newName();
    const subscribers = [member.id, guest.id];
    const replies = await Promise.all(
      [name, name.toUpperCase()].map((one) => create(member, one, { subscribers })),
    );
    const created = replies.find(({ status }) => status === 200);
    const refused = replies.find(({ status }) => status === 400);
    expect(refused?.body).toMatchObject({ code: 'CHANNEL_ALREADY_EXISTS' });
    const { body } = await member.api.get(`/streams/${String(created?.body['id'])}/members`);
    expect(body['subscribers']).toEqual(subscribers);
  });

  it('creates a private channel without subscribers', async () => {
    const events = await during(async () => {
      const { body } = await create(member, newName(), { invite_only: true });
      expect(await read(admin, Number(body['id']))).toMatchObject({
        invite_only: true,
        subscriber_count: 0,
      });
    });
    expect(changesIn(events)).toEqual([
      ['create', undefined, undefined, { userIds: [owner.id, admin.id, member.id] }],
    ]);
  });

  it('refuses guests and unknown accounts', async () => {
    expect(await create(guest, newName())).toMatchObject(badRequest('Not allowed for guest users'));
    expect(await create(member, newName(), { subscribers: [2_000_000_000] })).toMatchObject(
      badRequest('No such user'),
    );
  });

  it.each([2_000_000, 2 ** 31, 2 ** 40, -1])('refuses the unknown folder %d', async (folder_id) => {
    expect(await create(member, newName(), { folder_id })).toMatchObject(
      badRequest('Invalid channel folder ID'),
    );
  });
});
