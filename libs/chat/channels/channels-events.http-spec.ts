import { describe, expect, it } from '@jest/globals';
import { EventLog, EventRepository } from '#events/log';
import { roles } from '#directory/roles';
import { optionsWith } from '#test/queue-options';
import { RecordedEvents } from '#test/recorded-events';
import { useGateway } from '#test/start-gateway';
import { addGroup } from '#test/user-groups';
import { useFixture } from '#test/use-fixture';
import { ChannelActivityEvents } from './listing/channel-activity.events.js';
import { ChannelAudienceRepository } from './access/channel-audience.repository.js';
import { OrganisationOfChannels } from './channels-organisation.fixture.js';
import { SubscriptionPeersRepository } from './subscriptions/subscription-peers.repository.js';
import { subscriptionEventType, SubscriptionEvents } from './subscriptions/subscriptions.events.js';

const system = useGateway();
const world = useFixture(() => OrganisationOfChannels.add(system));
const recorded = useFixture(async () => new RecordedEvents(system, world.organisation));
const administrator = useFixture(() => world.organisation.addPerson({ role: roles.administrator }));

const peerEvent = (op: string, stream_ids: number[], user_ids: number[], audience: object) => ({
  type: 'subscription',
  body: { op, stream_ids, user_ids },
  audience,
});

describe('The events of default channels', () => {
  const path = '/default_streams';
  const eventOf = (...ids: number[]) => ({
    type: 'default_streams',
    body: { default_streams: ids },
    audience: { everyone: 'members' },
  });

  it('have the whole list, and are stored for changes and for each removal', async () => {
    const ids = [await world.addChannel('one'), await world.addChannel('two')];
    const [one = 0, two = 0] = ids;
    const { api } = administrator;
    const events = await recorded.during(async () => {
      await api.post(path, { stream_id: two });
      await api.post(path, { stream_id: two });
      await api.post(path, { stream_id: one });
      await api.delete(path, { stream_id: two });
      await api.delete(path, { stream_id: two });
      await api.delete(path, { stream_id: one });
    });
    expect(events).toEqual([
      eventOf(two),
      eventOf(one, two),
      eventOf(one),
      eventOf(one),
      eventOf(),
    ]);
  });

  it('end with the list of the last commit', async () => {
    const ids = await world.addChannels(6, {});
    for (const id of ids.slice(0, 3)) await administrator.api.post(path, { stream_id: id });
    const events = await recorded.during(() =>
      Promise.all(
        ids.map((id, index) =>
          index < 3
            ? administrator.api.delete(path, { stream_id: id })
            : administrator.api.post(path, { stream_id: id }),
        ),
      ),
    );
    expect(events).toHaveLength(6);
    expect(events.at(-1)).toEqual(eventOf(...ids.slice(3)));
    for (const id of ids) await administrator.api.delete(path, { stream_id: id });
  });
});

describe('A new account', () => {
  it('is a subscriber of the default channels for those who may see them', async () => {
    const other = await OrganisationOfChannels.add(system);
    const owner = await other.organisation.addPerson({ role: roles.owner });
    const guest = await other.organisation.addPerson({ role: roles.guest });
    const withGuest = await other.addChannel('with a guest', { isDefault: true }, [guest]);
    const withMembers = await other.addChannel('with members', { isDefault: true }, [owner]);
    const events = await new RecordedEvents(system, other.organisation).during(() =>
      owner.api.post('/users', {
        email: 'new@chat.test',
        full_name: 'New',
        password: 'a long enough password of a test',
      }),
    );
    const { id } = await system.database.database.prisma.user.findFirstOrThrow({
      where: { realmId: other.organisation.id, fullName: 'New' },
    });
    const audience = { everyone: 'members', exceptIds: [id] };
    expect(events.slice(-2)).toEqual([
      peerEvent('peer_add', [withGuest], [id], { ...audience, userIds: [guest.id] }),
      peerEvent('peer_add', [withMembers], [id], audience),
    ]);
  });
});

describe('A deactivated account', () => {
  it('is no subscriber until it is reactivated; events precede those of the account', async () => {
    const other = await OrganisationOfChannels.add(system);
    const owner = await other.organisation.addPerson({ role: roles.owner });
    const person = await other.organisation.addPerson();
    const bot = await other.organisation.addPerson({ isBot: true, botOwnerId: person.id });
    const first = await other.addChannel('first', {}, [person, owner]);
    const second = await other.addChannel('second', {}, [person, bot]);
    const during = async (work: () => Promise<unknown>) =>
      (await new RecordedEvents(system, other.organisation).during(work)) as { type: string }[];
    const deactivated = await during(() => owner.api.delete(`/users/${person.id}`));
    const audience = (...exceptIds: number[]) => ({ everyone: 'members', exceptIds });
    expect(deactivated.slice(0, 2)).toEqual([
      peerEvent('peer_remove', [first, second], [person.id], audience(person.id)),
      peerEvent('peer_remove', [second], [bot.id], audience(bot.id)),
    ]);
    expect(deactivated[2]).toMatchObject({ type: 'realm_user' });
    const reactivated = await during(() => owner.api.post(`/users/${person.id}/reactivate`));
    expect(reactivated[0]).toMatchObject({ type: 'realm_user' });
    expect(reactivated.at(-1)).toEqual(
      peerEvent('peer_add', [first, second], [person.id], audience(person.id)),
    );
  });
});

describe(SubscriptionEvents.name, () => {
  const peersOf = (userIds: readonly number[]) =>
    recorded.during(() => {
      const { database } = system.database;
      const log = new EventLog(new EventRepository(database));
      const sut = new SubscriptionEvents(
        new SubscriptionPeersRepository(new ChannelAudienceRepository()),
        log,
      );
      const peers = { realmId: world.organisation.id, userIds };
      return database.transaction((transaction) => sut.peersRemoved(transaction, peers));
    });

  it('has no event for an account without subscriptions', async () => {
    expect(await peersOf([(await world.organisation.addPerson()).id])).toEqual([]);
  });

  it('gives the events of a private channel only to accounts that may know of it', async () => {
    const [peer, subscriber, holder, guest] = [
      await world.organisation.addPerson(),
      await world.organisation.addPerson({ role: roles.guest }),
      await world.organisation.addPerson(),
      await world.organisation.addPerson({ role: roles.guest }),
    ];
    await world.organisation.addPerson();
    const inner = await world.addAnonymousGroup([holder.id, guest.id], []);
    const gone = await world.organisation.addPerson({ isActive: false });
    const channel = await world.addChannel(
      'private with a holder',
      { isPrivate: true, canSubscribeId: await world.addAnonymousGroup([], [inner]) },
      [peer, subscriber, gone],
    );
    expect(await peersOf([peer.id])).toEqual([
      peerEvent('peer_remove', [channel], [peer.id], {
        userIds: [administrator.id, subscriber.id, holder.id],
      }),
    ]);
  });

  it('sends the event of a web-public channel to everyone', async () => {
    const peer = await world.organisation.addPerson();
    const channel = await world.addChannel('web', { isWebPublic: true }, [peer]);
    expect(await peersOf([peer.id])).toEqual([
      peerEvent('peer_remove', [channel], [peer.id], { everyone: 'all', exceptIds: [peer.id] }),
    ]);
  });

  it('sends the event of an archived channel only to clients with the capability', async () => {
    const peer = await world.organisation.addPerson();
    const channel = await world.addChannel('old', { archivedAt: new Date() }, [peer]);
    const [event] = (await peersOf([peer.id])) as { body: Record<string, unknown> }[];
    const shown = { op: 'peer_remove', stream_ids: [channel], user_ids: [peer.id] };
    expect(event?.body).toEqual({ ...shown, is_archived: true });
    const forms = (...given: Parameters<typeof optionsWith>) =>
      subscriptionEventType.formsOf?.(event?.body ?? {}, optionsWith(...given));
    expect(forms('archived_channels')).toEqual([shown]);
    expect(forms()).toEqual([]);
  });
});

describe(ChannelActivityEvents.name, () => {
  it('marks another first message of an archived channel', async () => {
    const traits = { name: 'with a first message', archivedAt: new Date() };
    const id = await world.addChannel(traits.name, traits);
    const [event] = await recorded.during(() => {
      const { database } = system.database;
      const log = new EventLog(new EventRepository(database));
      const sut = new ChannelActivityEvents(new ChannelAudienceRepository(), log);
      const changed = [{ id, name: traits.name, firstMessageId: null }];
      return database.transaction((transaction) =>
        sut.firstMessagesChanged(transaction, world.organisation.id, changed),
      );
    });
    expect(event).toMatchObject({
      body: { property: 'first_message_id', value: null, is_archived: true },
      audience: { everyone: 'members' },
    });
  });
});

describe('A permission of a channel that names an account', () => {
  it.each([
    ['a channel', null],
    ['an archived channel', new Date()],
  ])('omits the account while it is deactivated: %s', async (_which, archivedAt) => {
    const { organisation } = world;
    const [person, other] = await organisation.addPeople(2);
    const member = { id: person?.id ?? 0 };
    const holders = await addGroup(system, organisation, {
      name: null,
      members: [member.id, other?.id ?? 0],
    });
    const name = `of single accounts ${archivedAt !== null}`;
    const traits = { isPrivate: true, canSendMessageId: holders, canSubscribeId: holders };
    const id = await world.addChannel(name, { ...traits, archivedAt }, []);
    const update = (property: string, ...direct_members: number[]) => ({
      type: 'stream',
      body: {
        op: 'update',
        stream_id: id,
        name,
        property,
        value: { direct_members, direct_subgroups: [] },
        ...(archivedAt !== null && { is_archived: true }),
      },
    });
    const ofChannel = async (work: () => Promise<unknown>) =>
      (await recorded.during(work)).filter((event) => 'type' in event && event.type === 'stream');
    const left = await ofChannel(() => administrator.api.delete(`/users/${member.id}`));
    const rest = other?.id ?? 0;
    expect(left).toMatchObject([
      update('can_send_message_group', rest),
      update('can_subscribe_group', rest),
    ]);
    const audience = { userIds: [administrator.id, rest] };
    expect(left[0]).toMatchObject({ audience });
    const back = await ofChannel(() => administrator.api.post(`/users/${member.id}/reactivate`));
    expect(back).toMatchObject([
      update('can_send_message_group', member.id, rest),
      update('can_subscribe_group', member.id, rest),
    ]);
  });
});
