import { beforeEach, describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { EventClient, type ReceivedEvent } from '#test/event-client';
import { commitTogether } from '#test/commit-together';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { OrganisationOfChannels } from '../channels-organisation.fixture.js';
import { InheritedSettingsEvents } from './inherited-settings.events.js';

const system = useGateway();
let world: OrganisationOfChannels;
let person: Person;
let ids: readonly number[];

beforeEach(async () => {
  world = await OrganisationOfChannels.add(system);
  person = await world.organisation.addPerson();
  ids = [
    await world.addChannel('one', {}, [person]),
    await world.addChannel('two', {}, [person]),
    await world.addChannel('three'),
  ];
});

const register = (knowsNull = false, knowsArchived = false) =>
  EventClient.register(person.api, {
    client_capabilities: {
      notification_settings_null: knowsNull,
      archived_channels: knowsArchived,
    },
  });

const set = (settings: Readonly<Record<string, boolean>>) => () =>
  person.api.patch('/settings', settings);

const setOwn = (value: boolean) => () =>
  person.api.post('/users/me/subscriptions/properties', {
    subscription_data: [{ stream_id: ids[0], property: 'desktop_notifications', value }],
  });

const ofSubscriptions = async (client: EventClient): Promise<ReceivedEvent[]> =>
  (await client.drain()).filter(({ type }) => type === 'subscription');

const updateOf = (index: number, property: string, value: boolean) => ({
  op: 'update',
  stream_id: ids[index],
  property,
  value,
});

describe(InheritedSettingsEvents.name, () => {
  it('sends older clients an event for each subscription that inherits the setting', async () => {
    expect(await setOwn(false)()).toMatchObject(success);
    const [older, current] = [await register(), await register(true)];
    await set({ enable_stream_desktop_notifications: true, twenty_four_hour_time: true })();
    await set({ wildcard_mentions_notify: false })();
    expect(await ofSubscriptions(older)).toMatchObject([
      updateOf(1, 'desktop_notifications', true),
      updateOf(0, 'wildcard_mentions_notify', false),
      updateOf(1, 'wildcard_mentions_notify', false),
    ]);
    expect(await ofSubscriptions(current)).toEqual([]);
  });

  it.each([
    ['enable_stream_desktop_notifications', 'desktop_notifications'],
    ['enable_stream_audible_notifications', 'audible_notifications'],
    ['enable_stream_push_notifications', 'push_notifications'],
    ['enable_stream_email_notifications', 'email_notifications'],
    ['wildcard_mentions_notify', 'wildcard_mentions_notify'],
  ])('agrees with a new registration after a change of %s', async (setting, property) => {
    const client = await register();
    const before = client.state['user_settings'] as Readonly<Record<string, boolean>>;
    expect(await set({ [setting]: before[setting] !== true })()).toMatchObject(success);
    const events = await ofSubscriptions(client);
    const [fresh] = (await register()).state['subscriptions'] as Record<string, unknown>[];
    expect(events[0]).toMatchObject({ property, value: fresh?.[property] });
    expect(events).toHaveLength(2);
  });

  it('sends updates of archived channels to clients that know of these', async () => {
    const archived = await world.addChannel('old', { archivedAt: new Date() }, [person]);
    const [older, current] = [await register(), await register(false, true)];
    await set({ enable_stream_desktop_notifications: true })();
    const idsOf = async (client: EventClient) =>
      (await ofSubscriptions(client)).map(({ stream_id }) => stream_id);
    expect(await idsOf(older)).toEqual([ids[0], ids[1]]);
    expect(await idsOf(current)).toEqual([ids[0], ids[1], archived]);
  });

  it('leaves out a subscription that gets an own value at the same time', async () => {
    const client = await register();
    const replies = await commitTogether(
      system,
      world.organisation,
      setOwn(false),
      set({ enable_stream_desktop_notifications: true }),
    );
    expect(replies).toMatchObject([success, success]);
    const events = await ofSubscriptions(client);
    expect(events.findLast(({ stream_id }) => stream_id === ids[0])).toMatchObject({
      value: false,
    });
    expect(events.findLast(({ stream_id }) => stream_id === ids[1])).toMatchObject({ value: true });
  });

  it('agrees with a subscription that begins at the same time', async () => {
    const client = await register();
    const subscribe = () =>
      person.api.post('/users/me/subscriptions', { subscriptions: [{ name: 'three' }] });
    const change = set({ enable_stream_desktop_notifications: true });
    const replies = await commitTogether(system, world.organisation, change, subscribe);
    expect(replies).toMatchObject([success, success]);
    const events = await ofSubscriptions(client);
    const values = events.flatMap((event): unknown[] => {
      const rows = (event['subscriptions'] ?? []) as Record<string, unknown>[];
      const row = rows.find(({ stream_id }) => stream_id === ids[2]) ?? event;
      if (row['stream_id'] !== ids[2]) return [];
      return [row['desktop_notifications'] ?? row['value']];
    });
    expect(values.at(-1)).toBe(true);
  });
});
