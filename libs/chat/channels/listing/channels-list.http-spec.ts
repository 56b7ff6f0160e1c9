import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest } from '#test/answers';
import type { Reply } from '#test/http-request';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { channelsOf, namesOf, OrganisationOfChannels } from '../channels-organisation.fixture.js';

const system = useGateway();

type Query = Readonly<Record<string, unknown>>;

/** Disables all sources. */
const nothing = { include_public: false, include_subscribed: false };

const list = (who: string, query: Query = {}): Promise<Reply> =>
  system.api(who).get('/streams', query);

const flags = [
  'include_public',
  'include_web_public',
  'include_subscribed',
  'exclude_archived',
  'include_all',
  'include_default',
  'include_owner_subscribed',
  'include_can_access_content',
  'include_all_active',
];

describe('The list of channels', () => {
  it.each(flags)('rejects an invalid %s', async (flag) => {
    expect(await list('alice', { [flag]: 1 })).toMatchObject(
      badRequest(`${flag} is not a boolean`),
    );
    expect(await list('alice', { [flag]: 'True' })).toMatchObject(
      badRequest(`${flag} is not valid JSON`),
    );
  });

  it('reports unsupported parameters', async () => {
    const { body } = await list('alice', { dont_block: true, include_all_of_it: true });
    expect(body['ignored_parameters_unsupported']).toEqual(['dont_block', 'include_all_of_it']);
  });

  it('supports all its parameters', async () => {
    const { body } = await list('admin', Object.fromEntries(flags.map((flag) => [flag, false])));
    expect(body).toEqual({ result: 'success', msg: '', streams: [] });
  });
});

describe('The channels of a list', () => {
  it.each<[who: string, what: string, query: Query, names: string[]]>([
    [
      'alice',
      'public and subscribed channels by default',
      {},
      ['design', 'empty', 'general', 'news'],
    ],
    ['carol', 'public and subscribed channels by default', {}, ['empty', 'general', 'news']],
    ['guest', 'subscribed channels by default', {}, ['general']],
    ['alice', 'nothing without a source', nothing, []],
    ['alice', 'public channels', { include_subscribed: false }, ['empty', 'general', 'news']],
    ['guest', 'no public channels', { include_subscribed: false }, []],
    ['alice', 'subscribed channels', { include_public: false }, ['design', 'empty', 'general']],
    ['alice', 'web-public channels', { ...nothing, include_web_public: true }, ['news']],
    ['guest', 'web-public channels', { ...nothing, include_web_public: true }, ['news']],
    ['alice', 'default channels', { ...nothing, include_default: true }, ['general', 'news']],
    ['guest', 'default channels', { ...nothing, include_default: true }, ['general', 'news']],
    [
      'alice',
      'all she may know of',
      { ...nothing, include_all: true },
      ['design', 'empty', 'general', 'news'],
    ],
    [
      'admin',
      'all there are',
      { ...nothing, include_all: true },
      ['design', 'empty', 'general', 'moderation', 'news'],
    ],
    ['guest', 'all visible channels', { ...nothing, include_all: true }, ['general', 'news']],
    [
      'moderator',
      'all they may read',
      { ...nothing, include_can_access_content: true },
      ['empty', 'general', 'moderation', 'news'],
    ],
    [
      'owner',
      'all they may read, not all there are',
      { ...nothing, include_can_access_content: true },
      ['empty', 'general', 'moderation', 'news'],
    ],
    [
      'alice_bot',
      'its owner’s',
      { ...nothing, include_owner_subscribed: true },
      ['design', 'empty', 'general'],
    ],
    ['alice_bot', 'its own', { include_public: false }, ['general']],
    [
      'alice',
      'nothing from an owner, since alice is no bot',
      { ...nothing, include_owner_subscribed: true },
      [],
    ],
    [
      'carol',
      'archived ones too',
      { exclude_archived: false },
      ['archive', 'empty', 'general', 'news'],
    ],
    [
      'admin',
      'all active ones, by their older name',
      { ...nothing, include_all_active: true },
      ['design', 'empty', 'general', 'moderation', 'news'],
    ],
  ])('for %s are %s', async (who, _what, query, names) => {
    expect(namesOf(await list(who, query))).toEqual(names);
  });

  it.each(['moderator', 'alice', 'guest', 'alice_bot'])(
    'do not include all active channels for %s',
    async (who) => {
      expect(await list(who, { include_all_active: true })).toMatchObject(
        badRequest('User not authorized for this query'),
      );
      expect(await list(who, { include_all_active: false })).toMatchObject({ status: 200 });
    },
  );

  it('have is_default when the request includes default channels', async () => {
    const asked = channelsOf(await list('alice', { include_default: true }));
    expect(asked.map(({ name, is_default }) => [name, is_default])).toEqual([
      ['design', false],
      ['empty', false],
      ['general', true],
      ['news', true],
    ]);
    for (const channel of channelsOf(await list('alice'))) {
      expect(channel).not.toHaveProperty('is_default');
    }
  });

  it('are sorted by the code points of their names', async () => {
    const ordered = await OrganisationOfChannels.add(system);
    const reader = await ordered.organisation.addPerson();
    for (const name of ['b', 'é', 'Z', 'a', '10', '9']) await ordered.addChannel(name);
    expect(namesOf(await reader.api.get('/streams'))).toEqual(['10', '9', 'Z', 'a', 'b', 'é']);
  });
});

describe('Access to a channel', () => {
  const world = useFixture(() => OrganisationOfChannels.add(system));
  const member = useFixture(() => world.organisation.addPerson());
  const guest = useFixture(() => world.organisation.addPerson({ role: roles.guest }));

  const listed = async (who: Person, query: Query): Promise<unknown[]> =>
    namesOf(await who.api.get('/streams', { ...nothing, ...query }));

  it('depends on nested groups', async () => {
    const inner = await world.addAnonymousGroup([member.id, guest.id], []);
    const outer = await world.addAnonymousGroup([], [inner]);
    const closed = { isPrivate: true };
    await world.addChannel('joinable', { ...closed, canSubscribeId: outer });
    await world.addChannel('extensible', { ...closed, canAddSubscribersId: inner });
    await world.addChannel('administered', { ...closed, canAdministerChannelId: outer });
    await world.addChannel('sendable', { ...closed, canSendMessageId: outer });
    expect(await listed(member, { include_can_access_content: true })).toEqual([
      'extensible',
      'joinable',
    ]);
    expect(await listed(member, { include_all: true })).toEqual([
      'administered',
      'extensible',
      'joinable',
    ]);
    expect(await listed(guest, { include_all: true })).toEqual([]);
  });

  it('does not depend on a former subscription', async () => {
    const id = await world.addChannel('left', { isPrivate: true }, [member]);
    expect(await listed(member, { include_subscribed: true })).toEqual(['left']);
    await system.database.database.prisma.subscription.updateMany({
      where: { channelId: id },
      data: { isActive: false },
    });
    expect(await listed(member, { include_subscribed: true })).toEqual([]);
  });

  it('excludes default channels without a subscription for a guest', async () => {
    await world.addChannel('welcome', { isDefault: true });
    await world.addChannel('former', { isDefault: true, archivedAt: new Date() });
    expect(await listed(member, { include_default: true })).toEqual(['welcome']);
    expect(await listed(member, { include_default: true, exclude_archived: false })).toEqual([
      'welcome',
    ]);
    expect(await listed(guest, { include_default: true })).toEqual([]);
  });

  it('is limited to the organisation', async () => {
    const other = await OrganisationOfChannels.add(system);
    await other.addChannel('theirs', { isWebPublic: true });
    const administrator = await world.organisation.addPerson({ role: roles.administrator });
    const all = await listed(administrator, {
      include_all: true,
      include_web_public: true,
      exclude_archived: false,
    });
    expect(all).not.toContain('theirs');
    expect(all).toContain('administered');
  });

  it('excludes the channels of a deactivated bot owner', async () => {
    const bot = await world.organisation.addPerson({ isBot: true });
    const { prisma } = system.database.database;
    await prisma.user.update({ where: { id: bot.id }, data: { botOwnerId: member.id } });
    await world.addChannel('of the owner', { isPrivate: true }, [member]);
    expect(await listed(bot, { include_owner_subscribed: true })).toContain('of the owner');
    await prisma.user.update({ where: { id: member.id }, data: { isActive: false } });
    expect(await listed(bot, { include_owner_subscribed: true })).toEqual([]);
  });
});
