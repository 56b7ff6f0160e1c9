import { Agent, request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { basicAuthorization, encodeForm } from '#test/api-client';
import { badRequest, notSignedIn, success } from '#test/answers';
import { EventClient, eventsOf } from '#test/event-client';
import { eventually } from '#test/eventually';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { startGateway } from '#test/start-gateway';
import type { System } from '#test/start-system';

const BAD_QUEUE = { code: 'BAD_EVENT_QUEUE_ID', result: 'error' };

let system: System;
let organisation: Organisation;
let person: Person;

beforeAll(async () => {
  system = await startGateway();
  organisation = await addOrganisation(system);
});

beforeEach(async () => {
  person = await organisation.addPerson();
});

afterAll(() => system?.stop());

/** Causes one event for the person. */
async function save(title: string, by = person): Promise<void> {
  const reply = await by.api.post('/saved_snippets', { title, content: 'x' });
  expect(reply.status).toBe(200);
}

/** The status of a poll with the sign-in of a person over the connections of an agent. */
const statusOf = (agent: Agent, by: Person, { queueId, lastEventId }: EventClient) =>
  new Promise<number | undefined>((resolve, reject) => {
    const query = { queue_id: queueId, last_event_id: lastEventId, dont_block: true };
    const url = `${system.gatewayUrl}/api/v1/events?${encodeForm(query)}`;
    const headers = { authorization: basicAuthorization(by), host: by.host };
    request(url, { agent, headers }, (incoming) => {
      incoming.resume().on('end', () => resolve(incoming.statusCode));
    })
      .on('error', reject)
      .end();
  });

const titles = (events: readonly object[]): unknown[] =>
  events.map((event) => (event as { saved_snippet?: { title: string } }).saved_snippet?.title);

const snippets = { event_types: ['saved_snippets'] };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('GET /events', () => {
  it.each(['GET', 'DELETE'])('requires a sign-in: %s', async (method) => {
    expect(await system.anonymous().send(method, '/events?queue_id=x')).toMatchObject(notSignedIn);
  });

  it('refuses a replaced key and another organisation, also after polls with the same sign-in', async () => {
    const client = await EventClient.register(person.api);
    expect(await client.poll({ dont_block: true })).toMatchObject({ status: 200 });
    const elsewhere = system.api({ ...person, host: (await addOrganisation(system)).host });
    const query = { queue_id: client.queueId, last_event_id: client.lastEventId, dont_block: true };
    expect(await elsewhere.get('/events', query)).toMatchObject(notSignedIn);
    expect(await client.poll({ dont_block: true })).toMatchObject({ status: 200 });
    await person.api.post('/users/me/api_key/regenerate');
    expect(await client.poll({ dont_block: true })).toMatchObject(notSignedIn);
  });

  it('acknowledges nothing for a replaced key', async () => {
    const client = await EventClient.register(person.api, snippets);
    await save('one');
    const [event] = eventsOf(await client.poll());
    const { body } = await person.api.post('/users/me/api_key/regenerate');
    const acknowledgement = { last_event_id: event?.id ?? 0, dont_block: true };
    expect(await client.poll(acknowledgement)).toMatchObject(notSignedIn);
    const renewed = system.api({ ...person, api_key: String(body['api_key']) });
    const query = { queue_id: client.queueId, last_event_id: client.lastEventId };
    expect(titles(eventsOf(await renewed.get('/events', query)))).toEqual(['one']);
  });

  it('tells apart the accounts that share a connection, and refuses their replaced keys', async () => {
    const other = await organisation.addPerson();
    const own = await EventClient.register(person.api);
    const others = await EventClient.register(other.api);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      for (let round = 0; round < 3; round += 1) {
        expect(await statusOf(agent, person, own)).toBe(200);
        expect(await statusOf(agent, other, own)).toBe(400);
        expect(await statusOf(agent, other, others)).toBe(200);
      }
      await other.api.post('/users/me/api_key/regenerate');
      expect(await statusOf(agent, other, others)).toBe(401);
      expect(await statusOf(agent, person, own)).toBe(200);
      expect(await statusOf(agent, other, others)).toBe(401);
    } finally {
      agent.destroy();
    }
  });

  it('requires a queue and the last event', async () => {
    const { queueId } = await EventClient.register(person.api);
    expect(await person.api.get('/events', { last_event_id: -1 })).toMatchObject({
      status: 400,
      body: { msg: "Missing 'queue_id' argument" },
    });
    expect(await person.api.get('/events', { queue_id: queueId })).toMatchObject({
      status: 400,
      body: { msg: "Missing 'last_event_id' argument" },
    });
  });

  it('returns the events after the registration in the order of their changes', async () => {
    await save('before');
    const client = await EventClient.register(person.api, snippets);
    await save('one');
    await save('two');
    const registered = client.lastEventId;
    expect((await client.poll()).body['queue_id']).toBe(client.queueId);
    // The gateway may learn of the second change later than of the first one.
    const events = await client.takeAtLeast(2);
    expect(events).toMatchObject([
      { type: 'saved_snippets', op: 'add', saved_snippet: { title: 'one', content: 'x' } },
      { type: 'saved_snippets', op: 'add', saved_snippet: { title: 'two', content: 'x' } },
    ]);
    expect(events[0]?.id).toBeLessThan(events[1]?.id ?? 0);
    expect(events[0]?.id).toBeGreaterThan(registered);
  });

  it('answers a held poll when an event happens', async () => {
    const client = await EventClient.register(person.api, snippets);
    const held = client.take();
    await pause(100);
    await save('now');
    expect(titles(await held)).toEqual(['now']);
  });

  it.each([0, 1])('waits after an event with %i further acknowledged ids', async (more) => {
    const client = await EventClient.register(person.api, snippets);
    await save('one');
    await client.take();
    client.lastEventId += more;
    const held = client.poll();
    await pause(300);
    await save('two');
    expect(titles(eventsOf(await held))).toEqual(['two']);
  });

  it('returns nothing to a poll that does not wait', async () => {
    const client = await EventClient.register(person.api, snippets);
    expect(await client.take({ dont_block: true })).toEqual([]);
  });

  it('returns an event until the client acknowledges it, and then never again', async () => {
    const client = await EventClient.register(person.api, snippets);
    await save('one');
    const first = eventsOf(await client.poll());
    expect(eventsOf(await client.poll())).toEqual(first);
    client.lastEventId = first[0]?.id ?? 0;
    await save('two');
    expect(titles(await client.take())).toEqual(['two']);
    expect(await client.drain()).toEqual([]);
  });

  it('accepts -1 until the first acknowledgement', async () => {
    const client = await EventClient.register(person.api, snippets);
    await save('one');
    expect(titles(eventsOf(await client.poll({ last_event_id: -1 })))).toEqual(['one']);
    await client.take();
    await client.take({ dont_block: true });
    expect(await client.poll({ last_event_id: -1, dont_block: true })).toMatchObject(
      badRequest('An event newer than -1 has already been pruned!'),
    );
  });

  it('rejects an id after the newest event', async () => {
    const client = await EventClient.register(person.api, snippets);
    const last = client.lastEventId + 10 * 65_536;
    expect(await client.poll({ last_event_id: last, dont_block: true })).toMatchObject(
      badRequest(`Event ${last} was not in this queue`),
    );
    // The wrong id acknowledges nothing.
    await save('one');
    expect(titles(await client.take())).toEqual(['one']);
  });

  it('gives each account only its own events', async () => {
    const other = await organisation.addPerson();
    const [mine, theirs] = [
      await EventClient.register(person.api, snippets),
      await EventClient.register(other.api, snippets),
    ];
    await save('mine');
    await save('theirs', other);
    expect(titles(await mine.drain())).toEqual(['mine']);
    expect(titles(await theirs.drain())).toEqual(['theirs']);
  });

  it('gives all queues of an account the same events', async () => {
    const clients = await Promise.all([1, 2, 3].map(() => EventClient.register(person.api)));
    const held = clients.map((client) => client.take());
    await pause(100);
    await save('one');
    for (const events of await Promise.all(held)) expect(titles(events)).toEqual(['one']);
  });

  it('leaves out the types that the queue did not ask for', async () => {
    const client = await EventClient.register(person.api, { event_types: ['message'] });
    await save('one');
    expect(await client.drain()).toEqual([]);
  });

  it('ends the older of two polls with an empty list', async () => {
    const client = await EventClient.register(person.api, snippets);
    const older = client.poll();
    await pause(100);
    const newer = client.poll();
    expect(eventsOf(await older)).toEqual([]);
    await save('one');
    expect(titles(eventsOf(await newer))).toEqual(['one']);
  });

  it('survives the closed connection of a poll', async () => {
    const client = await EventClient.register(person.api, snippets);
    const query = { queue_id: client.queueId, last_event_id: client.lastEventId };
    const url = `${system.gatewayUrl}/api/v1/events?${encodeForm(query)}`;
    const headers = { authorization: basicAuthorization(person), host: person.host };
    const held = request(url, { headers }).on('error', () => undefined);
    held.end();
    await pause(100);
    held.destroy();
    await save('one');
    expect(titles(await client.take())).toEqual(['one']);
  });

  it('returns many events in several answers, each once and in order', async () => {
    const client = await EventClient.register(person.api, snippets);
    await Promise.all(Array.from({ length: 30 }, (_, index) => save(`s${index}`)));
    const all = await client.drain();
    expect(new Set(titles(all)).size).toBe(30);
    expect(client.ids).toEqual(client.ids.toSorted((left, right) => left - right));
    expect(new Set(client.ids).size).toBe(30);
  });
});

describe('A queue', () => {
  /** Long enough for two requests in a row on a slow machine. */
  const IDLE_SECONDS = 4;

  it('is unknown to another account, and to everybody after its deletion', async () => {
    const client = await EventClient.register(person.api);
    const query = { queue_id: client.queueId, last_event_id: -1, dont_block: true };
    const other = await organisation.addPerson();
    const foreign = await other.api.get('/events', query);
    expect(foreign).toMatchObject({
      status: 400,
      body: {
        ...BAD_QUEUE,
        msg: `Bad event queue ID: ${client.queueId}`,
        queue_id: client.queueId,
      },
    });
    expect(await other.api.delete('/events', { queue_id: client.queueId })).toMatchObject({
      body: BAD_QUEUE,
    });
    expect(await person.api.delete('/events', { queue_id: client.queueId })).toMatchObject(success);
    expect(await person.api.get('/events', query)).toMatchObject({ body: BAD_QUEUE });
    expect(await person.api.delete('/events', { queue_id: client.queueId })).toMatchObject({
      body: BAD_QUEUE,
    });
  });

  it('ends its held poll with an empty list when it is deleted', async () => {
    const client = await EventClient.register(person.api);
    const held = client.poll();
    await pause(100);
    await person.api.delete('/events', { queue_id: client.queueId });
    expect(eventsOf(await held)).toEqual([]);
  });

  it('expires after its time without a poll', async () => {
    const client = await EventClient.register(person.api, { idle_queue_timeout: IDLE_SECONDS });
    expect(client.state['idle_queue_timeout_secs']).toBe(IDLE_SECONDS);
    expect(await client.take({ dont_block: true })).toEqual([]);
    await pause(IDLE_SECONDS * 1000 + 300);
    expect(await person.api.delete('/events', { queue_id: client.queueId })).toMatchObject({
      body: BAD_QUEUE,
    });
    expect(await client.poll({ dont_block: true })).toMatchObject({ body: BAD_QUEUE });
  });

  it('lives on while a poll is held', async () => {
    const client = await EventClient.register(person.api, {
      ...snippets,
      idle_queue_timeout: IDLE_SECONDS,
    });
    const held = client.take();
    await pause(IDLE_SECONDS * 1000 + 800);
    await save('late');
    expect(titles(await held)).toEqual(['late']);
    expect(await client.take({ dont_block: true })).toEqual([]);
  });

  it('gives way to the newest one beyond the cap of an account', async () => {
    const first = await EventClient.register(person.api, { fetch_event_types: [] });
    for (let count = 0; count < 100; count += 1) {
      await EventClient.register(person.api, { fetch_event_types: [], idle_queue_timeout: 700 });
    }
    expect(await first.poll({ dont_block: true })).toMatchObject({ body: BAD_QUEUE });
  });

  it('has a rate limit of its own for polls that wait, and one with the other queues of its account for those that do not', async () => {
    const client = await EventClient.register(person.api);
    const reply = await client.poll({ dont_block: true });
    expect(reply.headers['x-ratelimit-limit']).toBeUndefined();
    await eventually(async () => {
      const replies = await Promise.all(
        Array.from({ length: 100 }, () => client.poll({ dont_block: true })),
      );
      expect(replies.map(({ status }) => status)).toContain(429);
    });
    const other = await EventClient.register(person.api, snippets);
    expect((await other.poll({ dont_block: true })).status).toBe(429);
    const waiting = other.take();
    await save('one');
    expect(titles(await waiting)).toEqual(['one']);
    expect((await person.api.get('/saved_snippets')).status).toBe(200);
  });
});
