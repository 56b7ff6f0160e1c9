import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { basicAuthorization, encodeForm } from '#test/api-client';
import { EventClient, type ReceivedEvent } from '#test/event-client';
import { eventually } from '#test/eventually';
import { holdPollsOf } from '#test/held-polls';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { nowSeconds } from '#test/presence-realm';
import { PresenceReaders } from '#test/presence-reading-people';
import { useFixture } from '#test/use-fixture';
import { modern, presencesOf, report, startPresenceSystem } from './presence-events.fixture.js';

const system = useFixture(startPresenceSystem);
let organisation: Organisation;
let ann: Person;
let ben: Person;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  [ann, ben] = [await organisation.addPerson(), await organisation.addPerson()];
});

const legacy = { event_types: ['presence'] };

/** One poll on a connection of its own: the clients of tests share a few connections. */
function hold(person: Person, { queueId, lastEventId }: EventClient): Promise<ReceivedEvent[]> {
  const query = encodeForm({ queue_id: queueId, last_event_id: lastEventId });
  const headers = { authorization: basicAuthorization(person), host: person.host };
  return new Promise((resolve, reject) => {
    const url = `${system.gatewayUrl}/api/v1/events?${query}`;
    request(url, { headers, agent: false }, (incoming) => {
      text(incoming)
        .then((body) => resolve((JSON.parse(body) as { events: ReceivedEvent[] }).events))
        .catch(reject);
    })
      .on('error', reject)
      .end();
  });
}

const isRecent = (seconds: number): boolean => Math.abs(nowSeconds() - seconds) <= 5;

describe('An event of presence', () => {
  it('answers a held poll when a user comes online', async () => {
    const client = await EventClient.register(ann.api, modern);
    const held = await holdPollsOf(system, () => client.take());
    await report(ben);
    const [event, ...others] = await held.answer;
    expect(others).toEqual([]);
    expect(event).toEqual({
      type: 'presence',
      id: expect.any(Number),
      presences: {
        [ben.id]: { active_timestamp: expect.any(Number), idle_timestamp: expect.any(Number) },
      },
    });
    const times = presencesOf([event ?? {}])[ben.id];
    expect(isRecent(times?.active_timestamp ?? 0)).toBe(true);
  });

  it('has the legacy form for other clients', async () => {
    const client = await EventClient.register(ann.api, legacy);
    const slim = await EventClient.register(ann.api, { ...legacy, slim_presence: true });
    await report(ben);
    const [event] = await client.take();
    const timestamp = expect.any(Number);
    const website = { client: 'website', status: 'active', timestamp, pushable: false };
    const expected = {
      type: 'presence',
      id: expect.any(Number),
      user_id: ben.id,
      server_timestamp: expect.any(Number),
      presence: { website },
    };
    expect(event).toEqual({ ...expected, email: ben.email });
    expect(await slim.take()).toEqual([expected]);
  });

  it('does not follow from an idle report or a repeated one', async () => {
    await report(ben);
    const client = await EventClient.register(ann.api, modern);
    await report(ben);
    const cat = await organisation.addPerson();
    await report(cat, 'idle');
    expect(await client.drain()).toEqual([]);
    await report(cat);
    expect(Object.keys(presencesOf(await client.take()))).toEqual([String(cat.id)]);
  });

  it('follows when an invisible user becomes visible', async () => {
    await report(ben);
    await ben.api.patch('/settings', { presence_enabled: false });
    const client = await EventClient.register(ann.api, modern);
    await report(ben);
    expect(await client.drain()).toEqual([]);
    await ben.api.patch('/settings', { presence_enabled: true });
    expect(Object.keys(presencesOf(await client.take()))).toEqual([String(ben.id)]);
  });

  it('is delivered again until it is acknowledged, in its newest form', async () => {
    const client = await EventClient.register(ann.api, modern);
    await report(ben);
    await eventually(async () => {
      const { body } = await client.poll({ dont_block: true });
      expect(body['events']).toHaveLength(1);
    });
    const cat = await organisation.addPerson();
    await report(cat);
    const ids = [String(ben.id), String(cat.id)];
    await eventually(async () => {
      const { body } = await client.poll({ dont_block: true });
      expect(Object.keys(presencesOf(body['events'] as ReceivedEvent[]))).toEqual(ids);
    });
    expect(Object.keys(presencesOf(await client.take()))).toEqual(ids);
    expect(await client.drain()).toEqual([]);
  });

  it('comes after the stored events of the answer, and before later ones', async () => {
    const client = await EventClient.register(ann.api, {
      ...modern,
      event_types: ['presence', 'saved_snippets'],
    });
    const save = () => ann.api.post('/saved_snippets', { title: 't', content: 'c' });
    await report(ben);
    await save();
    expect((await client.drain()).map(({ type }) => type)).toEqual(['saved_snippets', 'presence']);
    await save();
    await report(await organisation.addPerson());
    expect((await client.drain()).map(({ type }) => type)).toEqual(['saved_snippets', 'presence']);
    expect(client.ids).toEqual(client.ids.toSorted((a, b) => a - b));
    expect(new Set(client.ids).size).toBe(client.ids.length);
  });

  it('does not go to queues of other types, other organisations and organisations without presence', async () => {
    const elsewhere = await (await addOrganisation(system)).addPerson();
    const off = await addOrganisation(system, { isPresenceDisabled: true });
    const [one, other] = [await off.addPerson(), await off.addPerson()];
    const clients = [
      await EventClient.register(ann.api, { event_types: ['saved_snippets'] }),
      await EventClient.register(elsewhere.api, modern),
      await EventClient.register(one.api, modern),
    ];
    const informed = await EventClient.register(ann.api, modern);
    await report(other);
    await report(ben);
    expect(await informed.take()).toHaveLength(1);
    for (const client of clients) expect(await client.drain()).toEqual([]);
  });

  it('is sent to a limited guest only for people whom the guest may see', async () => {
    const readers = await PresenceReaders.in(system);
    const guest = await readers.organisation.addPerson({ role: roles.guest });
    await readers.limitGuests();
    await readers.shareChannel(guest, readers.ann);
    const client = await EventClient.register(guest.api, legacy);
    await report(readers.ben);
    await report(readers.ann);
    expect(await client.take()).toMatchObject([{ user_id: readers.ann.id }]);
    expect(await client.drain()).toEqual([]);
  });

  it('survives the loss of Redis', async () => {
    const client = await EventClient.register(ann.api, modern);
    await report(ben);
    await system.flushRedis();
    expect(Object.keys(presencesOf(await client.take()))).toContain(String(ben.id));
  });

  it('rides with other answers where more than 100 polls wait for it', async () => {
    const people = [ann, ben];
    const polls = await Promise.all(
      Array.from({ length: 102 }, async (_, index) => {
        const person = people[index % people.length] ?? ann;
        const types = ['presence', 'saved_snippets'];
        const client = await EventClient.register(person.api, { ...modern, event_types: types });
        return { person, client };
      }),
    );
    const holdAll = () => Promise.all(polls.map(({ person, client }) => hold(person, client)));
    const held = await holdPollsOf(system, holdAll, polls.length);
    const informed = await EventClient.register(ann.api, modern);
    await report(ben);
    await eventually(async () => expect(await informed.drain()).not.toEqual([]));
    for (const { api } of people) await api.post('/saved_snippets', { title: 't', content: 'c' });
    for (const events of await held.answer) {
      expect(events.map(({ type }) => type)).toEqual(['saved_snippets', 'presence']);
      expect(Object.keys(presencesOf(events))).toEqual([String(ben.id)]);
    }
  });
});

describe('The presence of a registration', () => {
  const stateOf = async (fields: object) =>
    (await EventClient.register(ann.api, { event_types: ['presence'], ...fields })).state;

  it('lists users by id in the modern form', async () => {
    await report(ben);
    for (const options of [{ slim_presence: true }, modern]) {
      const state = await stateOf(options);
      expect(Object.keys(state['presences'] as object)).toEqual([String(ben.id)]);
      expect(state['presence_last_update_id']).toBeGreaterThan(0);
      expect(isRecent(Number(state['server_timestamp']))).toBe(true);
    }
  });

  it('lists users by address in the legacy form', async () => {
    await report(ben);
    const times = { client: 'website', status: 'active', timestamp: expect.any(Number) };
    expect((await stateOf({}))['presences']).toEqual({
      [ben.email]: { aggregated: times, website: { ...times, pushable: false } },
    });
  });

  it('is empty without days of history, and in an organisation without presence', async () => {
    await report(ben);
    const none = { presences: {}, presence_last_update_id: -1 };
    expect(await stateOf({ presence_history_limit_days: 0 })).toMatchObject(none);
    const off = await (await addOrganisation(system, { isPresenceDisabled: true })).addPerson();
    await report(off);
    expect((await EventClient.register(off.api, modern)).state).toMatchObject(none);
  });

  it('is not read for other fetch types', async () => {
    expect(await stateOf({ fetch_event_types: ['saved_snippets'] })).not.toHaveProperty(
      'presences',
    );
  });
});
