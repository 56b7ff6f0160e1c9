import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  GroupMembershipRepository,
  GroupSettingRepository,
  SystemGroupRepository,
} from '#directory/groups';
import { roles } from '#directory/roles';
import { SettingRepository } from '#directory/settings';
import type { QueueOptions } from '#events/declarations';
import { EventLog, EventRepository } from '#events/log';
import { systemClock } from '#platform/core';
import { countStatements } from '#test/count-statements';
import type { Person } from '#test/organisation';
import { optionsWith } from '#test/queue-options';
import { RecordedEvents } from '#test/recorded-events';
import { useGateway } from '#test/start-gateway';
import { ChannelDescriber } from './channel-describer.js';
import { ChannelListRepository } from './channel-list.repository.js';
import { ChannelState } from './channel-state.js';
import { ChannelEvents } from '../channels.events.js';
import { channelsOf, OrganisationOfChannels } from '../channels-organisation.fixture.js';
import { DefaultChannelRepository } from '../defaults/default-channel.repository.js';
import { SubscriberLists } from '../subscriptions/subscriber-lists.js';
import { SubscriptionRepository } from '../subscriptions/subscription.repository.js';

type Item = Readonly<Record<string, unknown>>;
type State = Readonly<Record<string, readonly Item[]>>;

const system = useGateway();
let sut: ChannelEvents;
let world: OrganisationOfChannels;
let recorded: RecordedEvents;

beforeAll(async () => {
  const { database } = system.database;
  const subscriptions = new SubscriptionRepository(database);
  const systemGroups = new SystemGroupRepository(database);
  const lists = new ChannelListRepository(database);
  const settings = new GroupSettingRepository(database);
  const state = new ChannelState(
    subscriptions,
    new SubscriberLists(subscriptions, systemClock),
    new GroupMembershipRepository(database),
    systemGroups,
    new ChannelDescriber(systemGroups, settings, lists, systemClock),
    new SettingRepository(database),
  );
  const log = new EventLog(new EventRepository(database));
  sut = new ChannelEvents(state, new DefaultChannelRepository(), log);
});

beforeEach(async () => {
  world = await OrganisationOfChannels.add(system);
  recorded = new RecordedEvents(system, world.organisation);
});

// All members of the state are lists of objects.
const stateOf = async (
  person: { readonly id: number; readonly role?: number },
  options: Partial<QueueOptions> = {},
): Promise<State> => (await recorded.stateOf(sut, person, options)) as State;
const idsIn = (list: readonly Item[] | undefined) => list?.map((one) => one['stream_id']);
const stopSubscription = (channelId: number, { id: userId }: Person) =>
  system.database.database.prisma.subscription.update({
    where: { channelId_userId: { channelId, userId } },
    data: { isActive: false },
  });

describe('The channels of POST /register', () => {
  it('are the objects of the lists of channels and subscriptions', async () => {
    const person = await world.organisation.addPerson();
    await world.addChannel('own', { description: '**Own**' }, [person]);
    const state = await stateOf(person, optionsWith('notification_settings_null'));
    expect(state['streams']).toEqual(channelsOf(await person.api.get('/streams')));
    expect(state['subscriptions']).toEqual(
      channelsOf(await person.api.get('/users/me/subscriptions')),
    );
    expect(state['unsubscribed']).toEqual([]);
    expect(state['never_subscribed']).toEqual([]);
  });

  it('are those that the account may know of, by its relation to each', async () => {
    const person = await world.organisation.addPerson();
    const guest = await world.organisation.addPerson({ role: roles.guest });
    const own = await world.addChannel('a own', {}, [person, guest]);
    const left = await world.addChannel('b left', {}, [person, guest]);
    const others = await world.addChannel('c others');
    const secret = await world.addChannel('d secret', { isPrivate: true }, [person]);
    const web = await world.addChannel('e web', { isWebPublic: true });
    for (const one of [person, guest]) await stopSubscription(left, one);
    await stopSubscription(secret, person);
    const ofPerson = await stateOf(person);
    expect(idsIn(ofPerson['streams'])).toEqual([own, left, others, web]);
    expect(idsIn(ofPerson['subscriptions'])).toEqual([own]);
    expect(idsIn(ofPerson['unsubscribed'])).toEqual([left]);
    expect(idsIn(ofPerson['never_subscribed'])).toEqual([others, web]);
    const ofGuest = await stateOf({ id: guest.id, role: roles.guest });
    expect(idsIn(ofGuest['streams'])).toEqual([own, web]);
    expect(idsIn(ofGuest['subscriptions'])).toEqual([own]);
    expect(idsIn(ofGuest['unsubscribed'])).toEqual([]);
    expect(idsIn(ofGuest['never_subscribed'])).toEqual([web]);
    const administrator = await world.organisation.addPerson({ role: roles.administrator });
    const ofAdministrator = await stateOf({ id: administrator.id, role: roles.administrator });
    expect(idsIn(ofAdministrator['never_subscribed'])).toEqual([own, left, others, secret, web]);
  });

  it('have archived ones for clients with the capability', async () => {
    const person = await world.organisation.addPerson();
    const id = await world.addChannel('old', { archivedAt: new Date() }, [person]);
    expect(idsIn((await stateOf(person))['subscriptions'])).toEqual([]);
    const state = await stateOf(person, optionsWith('archived_channels'));
    expect(state['subscriptions']).toMatchObject([{ stream_id: id, is_archived: true }]);
  });

  it('have subscribers where the client asks for them; guests see those of channels that they may read', async () => {
    const person = await world.organisation.addPerson();
    const guest = await world.organisation.addPerson({ role: roles.guest });
    await world.addChannel('own', {}, [person, guest]);
    await world.addChannel('web', { isWebPublic: true }, [person]);
    expect((await stateOf(person))['subscriptions']?.[0]).not.toHaveProperty('subscribers');
    for (const includeSubscribers of [true, 'partial'] as const) {
      const state = await stateOf(
        { id: guest.id, role: roles.guest },
        { ...optionsWith(), includeSubscribers },
      );
      expect(state['subscriptions']).toMatchObject([{ subscribers: [person.id, guest.id] }]);
      expect(state['never_subscribed']).toMatchObject([{ subscribers: [person.id] }]);
    }
  });

  it('have the notification settings of the account where the subscription has none', async () => {
    const { prisma } = system.database.database;
    const person = await world.organisation.addPerson();
    const channelId = await world.addChannel('own', {}, [person]);
    await prisma.user.update({ where: { id: person.id }, data: { isPushedChannels: true } });
    await prisma.subscription.update({
      where: { channelId_userId: { channelId, userId: person.id } },
      data: { audibleNotifications: true },
    });
    const plain = await stateOf(person);
    expect(plain['subscriptions']).toMatchObject([
      {
        desktop_notifications: false,
        audible_notifications: true,
        push_notifications: true,
        email_notifications: false,
        wildcard_mentions_notify: true,
      },
    ]);
    const capable = await stateOf(person, optionsWith('notification_settings_null'));
    expect(capable['subscriptions']).toMatchObject([
      { desktop_notifications: null, audible_notifications: true, push_notifications: null },
    ]);
  });

  it('name the default channels, except to guests', async () => {
    const member = await world.organisation.addPerson();
    const id = await world.addChannel('default', { isDefault: true });
    await world.addChannel('archived', { isDefault: true, archivedAt: new Date() });
    const state = await recorded.stateOf(sut, member, {}, ['default_streams']);
    expect(state).toEqual({ realm_default_streams: [id] });
    const guest = { id: member.id, role: roles.guest };
    expect(await recorded.stateOf(sut, guest, {}, ['default_streams'])).toEqual({
      realm_default_streams: [],
    });
  });

  it('take a number of statements that does not depend on the number of channels', async () => {
    const person = await world.organisation.addPerson();
    const read = () => stateOf(person, { ...optionsWith(), includeSubscribers: true });
    await world.addChannel('first');
    await read();
    const few = await countStatements(read);
    await world.addChannels(300, {});
    expect(await countStatements(read)).toBe(few);
  });
});
