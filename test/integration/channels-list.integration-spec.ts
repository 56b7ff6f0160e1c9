import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { roles } from '#contracts';
import type { Reply } from '../support/http-request.js';
import type { Person } from '../support/organisation.js';
import { startGateway } from '../support/start-gateway.js';
import type { System } from '../support/start-system.js';
import { channelsOf, namesOf, OrganisationOfChannels } from './channels.organisation.js';

jest.setTimeout(60_000);

let system: System;

beforeAll(async () => {
  system = await startGateway();
});

afterAll(() => system?.stop());

type Query = Readonly<Record<string, unknown>>;

/** No source but those that a test asks for. */
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
  it.each(flags)('refuses a wrong %s', async (flag) => {
    expect(await list('alice', { [flag]: 1 })).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', msg: `${flag} is not a boolean` },
    });
    expect(await list('alice', { [flag]: 'True' })).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', msg: `${flag} is not valid JSON` },
    });
  });

  it('names what it does not support', async () => {
    const { body } = await list('alice', { dont_block: true, include_all_of_it: true });
    expect(body['ignored_parameters_unsupported']).toEqual(['dont_block', 'include_all_of_it']);
  });

  it('supports all of its parameters', async () => {
    const { body } = await list('admin', Object.fromEntries(flags.map((flag) => [flag, false])));
    expect(body).toEqual({ result: 'success', msg: '', streams: [] });
  });
});

describe('The channels of a list', () => {
  it.each<[who: string, what: string, query: Query, names: string[]]>([
    ['alice', 'public and own ones by default', {}, ['design', 'empty', 'general', 'news']],
    ['carol', 'public and own ones by default', {}, ['empty', 'general', 'news']],
    ['guest', 'own ones by default', {}, ['general']],
    ['alice', 'none without a source', nothing, []],
    ['alice', 'public ones', { include_subscribed: false }, ['empty', 'general', 'news']],
    ['guest', 'no public ones', { include_subscribed: false }, []],
    ['alice', 'own ones', { include_public: false }, ['design', 'empty', 'general']],
    ['alice', 'web-public ones', { ...nothing, include_web_public: true }, ['news']],
    ['guest', 'web-public ones', { ...nothing, include_web_public: true }, ['news']],
    ['alice', 'default ones', { ...nothing, include_default: true }, ['general', 'news']],
    ['guest', 'default ones', { ...nothing, include_default: true }, ['general', 'news']],
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
    ['guest', 'all they may know of', { ...nothing, include_all: true }, ['general', 'news']],
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
    ['alice', 'no owner’s, being no bot', { ...nothing, include_owner_subscribed: true }, []],
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
  ])('of %s are %s', async (who, _what, query, names) => {
    expect(namesOf(await list(who, query))).toEqual(names);
  });

  it.each(['moderator', 'alice', 'guest', 'alice_bot'])(
    'are not all active ones for %s',
    async (who) => {
      expect(await list(who, { include_all_active: true })).toMatchObject({
        status: 400,
        body: { code: 'BAD_REQUEST', msg: 'User not authorized for this query' },
      });
      expect(await list(who, { include_all_active: false })).toMatchObject({ status: 200 });
    },
  );

  it('tell whether they are default ones, where that was asked', async () => {
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

  it('stand in the order of their names’ code points', async () => {
    const ordered = await OrganisationOfChannels.add(system);
    const reader = await ordered.organisation.addPerson();
    for (const name of ['b', 'é', 'Z', 'a', '10', '9']) await ordered.addChannel(name);
    expect(namesOf(await reader.api.get('/streams'))).toEqual(['10', '9', 'Z', 'a', 'b', 'é']);
  });
});

describe('Who may see a channel', () => {
  let world: OrganisationOfChannels;
  let member: Person;
  let guest: Person;

  beforeAll(async () => {
    world = await OrganisationOfChannels.add(system);
    member = await world.organisation.addPerson();
    guest = await world.organisation.addPerson({ role: roles.guest });
  });

  const listed = async (who: Person, query: Query): Promise<unknown[]> =>
    namesOf(await who.api.get('/streams', { ...nothing, ...query }));

  it('follows from groups inside of groups', async () => {
    const inner = await world.addNamelessGroup([member.id, guest.id], []);
    const outer = await world.addNamelessGroup([], [inner]);
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

  it('does not follow from a subscription that has ended', async () => {
    const id = await world.addChannel('left', { isPrivate: true }, [member]);
    expect(await listed(member, { include_subscribed: true })).toEqual(['left']);
    await system.database.database.prisma.subscription.updateMany({
      where: { channelId: id },
      data: { isActive: false },
    });
    expect(await listed(member, { include_subscribed: true })).toEqual([]);
  });

  it('leaves a guest no default channel that they are not in', async () => {
    await world.addChannel('welcome', { isDefault: true });
    await world.addChannel('former', { isDefault: true, archivedAt: new Date() });
    expect(await listed(member, { include_default: true })).toEqual(['welcome']);
    expect(await listed(member, { include_default: true, exclude_archived: false })).toEqual([
      'welcome',
    ]);
    expect(await listed(guest, { include_default: true })).toEqual([]);
  });

  it('ends at the organisation', async () => {
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

  it('is nobody once a bot’s owner is deactivated', async () => {
    const bot = await world.organisation.addPerson({ isBot: true });
    const { prisma } = system.database.database;
    await prisma.user.update({ where: { id: bot.id }, data: { botOwnerId: member.id } });
    await world.addChannel('of the owner', { isPrivate: true }, [member]);
    expect(await listed(bot, { include_owner_subscribed: true })).toContain('of the owner');
    await prisma.user.update({ where: { id: member.id }, data: { isActive: false } });
    expect(await listed(bot, { include_owner_subscribed: true })).toEqual([]);
  });
});
