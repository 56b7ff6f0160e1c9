import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest } from '#test/answers';
import type { Reply } from '#test/http-request';
import { useGateway } from '#test/start-gateway';
import { channelsOf, namesOf, OrganisationOfChannels } from '../channels-organisation.fixture.js';

const system = useGateway();

const PATH = '/users/me/subscriptions';

const list = (who: string, query: Readonly<Record<string, unknown>> = {}): Promise<Reply> =>
  system.api(who).get(PATH, query);

const idOf = (name: string): number => system.user(name).user_id;

describe('The list of subscriptions', () => {
  it.each(['', 'True', '1', '"true"', 'partially', 'partial '])(
    'rejects include_subscribers=%s',
    async (wrong) => {
      expect(await list('alice', { include_subscribers: wrong })).toMatchObject(
        badRequest('Invalid include_subscribers'),
      );
    },
  );

  it('reports unsupported parameters', async () => {
    const { body } = await list('alice', { include_subscribers: true, include_public: true });
    expect(body['ignored_parameters_unsupported']).toEqual(['include_public']);
  });

  it.each([
    ['alice', ['design', 'empty', 'general']],
    ['guest', ['general']],
    ['alice_bot', ['general']],
    ['carol', []],
  ])('lists the channels of %s', async (who, names) => {
    expect(namesOf(await list(who))).toEqual(names);
  });

  it.each([{}, { include_subscribers: false }])('returns no subscribers with %j', async (query) => {
    for (const subscription of channelsOf(await list('alice', query))) {
      expect(subscription).not.toHaveProperty('subscribers');
      expect(subscription).not.toHaveProperty('partial_subscribers');
    }
  });

  it.each(['true', 'partial'])('returns all subscribers with %s', async (wanted) => {
    const subscriptions = channelsOf(await list('alice', { include_subscribers: wanted }));
    const everybody = [
      'owner',
      'admin',
      'moderator',
      'alice',
      'bob',
      'guest',
      'alice_bot',
      'admin_bot',
    ];
    expect(subscriptions.map(({ name, subscribers }) => [name, subscribers])).toEqual([
      ['design', ['alice', 'bob'].map(idOf)],
      ['empty', ['alice'].map(idOf)],
      ['general', everybody.map(idOf)],
    ]);
    for (const subscription of subscriptions) {
      expect(subscription).not.toHaveProperty('partial_subscribers');
    }
  });

  it('returns the subscribers of their channels to a guest', async () => {
    const [general] = channelsOf(await list('guest', { include_subscribers: true }));
    expect(general).toMatchObject({ name: 'general' });
    expect(general?.['subscribers']).toContain(idOf('owner'));
  });
});

describe('A subscription', () => {
  it('has the fields of its channel, and its own fields', async () => {
    const world = await OrganisationOfChannels.add(system);
    const person = await world.organisation.addPerson();
    await world.addChannel('usual', {}, [person]);
    const [channel] = channelsOf(await person.api.get('/streams'));
    expect(channelsOf(await person.api.get(PATH))).toEqual([
      {
        ...channel,
        desktop_notifications: null,
        email_notifications: null,
        push_notifications: null,
        audible_notifications: null,
        wildcard_mentions_notify: null,
        pin_to_top: false,
        is_muted: false,
        in_home_view: true,
        color: '#76ce90',
      },
    ]);
  });

  it('returns the settings of the subscriber', async () => {
    const world = await OrganisationOfChannels.add(system);
    const person = await world.organisation.addPerson();
    const other = await world.organisation.addPerson();
    const channelId = await world.addChannel('own', {}, [person, other]);
    await system.database.database.prisma.subscription.update({
      where: { channelId_userId: { channelId, userId: person.id } },
      data: {
        isMuted: true,
        isPinned: true,
        color: '#c0ffee',
        desktopNotifications: true,
        emailNotifications: false,
        pushNotifications: true,
        audibleNotifications: false,
        wildcardMentions: true,
      },
    });
    expect(channelsOf(await person.api.get(PATH))).toMatchObject([
      {
        desktop_notifications: true,
        email_notifications: false,
        push_notifications: true,
        audible_notifications: false,
        wildcard_mentions_notify: true,
        pin_to_top: true,
        is_muted: true,
        in_home_view: false,
        color: '#c0ffee',
      },
    ]);
    expect(channelsOf(await other.api.get(PATH))).toMatchObject([
      { is_muted: false, in_home_view: true, pin_to_top: false },
    ]);
  });

  it('is listed for an archived or private channel, and not after its end', async () => {
    const world = await OrganisationOfChannels.add(system);
    const person = await world.organisation.addPerson({ role: roles.guest });
    const left = await world.addChannel('left', {}, [person]);
    await world.addChannel('archived', { archivedAt: new Date() }, [person]);
    await world.addChannel('private', { isPrivate: true }, [person]);
    await system.database.database.prisma.subscription.update({
      where: { channelId_userId: { channelId: left, userId: person.id } },
      data: { isActive: false },
    });
    expect(channelsOf(await person.api.get(PATH))).toMatchObject([
      { name: 'archived', is_archived: true },
      { name: 'private', is_archived: false, invite_only: true },
    ]);
  });

  it('returns neither former subscribers nor deactivated accounts', async () => {
    const world = await OrganisationOfChannels.add(system);
    const [person, left] = await world.organisation.addPeople(2);
    const gone = await world.organisation.addPerson({ isActive: false });
    if (person === undefined || left === undefined) throw new Error('Nobody was added.');
    const channelId = await world.addChannel('team', {}, [gone, left, person]);
    await system.database.database.prisma.subscription.update({
      where: { channelId_userId: { channelId, userId: left.id } },
      data: { isActive: false },
    });
    for (const wanted of ['true', 'partial']) {
      const reply = await person.api.get(PATH, { include_subscribers: wanted });
      expect(channelsOf(reply)).toMatchObject([{ subscribers: [person.id] }]);
    }
  });
});
