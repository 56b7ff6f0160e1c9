import { once } from 'node:events';
import { request } from 'node:http';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { basicAuthorization, encodeForm } from '#test/api-client';
import { badRequest } from '#test/answers';
import { EventClient, eventsOf } from '#test/event-client';
import { holdPollsOf } from '#test/held-polls';
import { addOrganisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const organisation = useFixture(() => addOrganisation(system));
let person: Person;

beforeEach(async () => {
  person = await organisation.addPerson();
});

/** Causes one event for the person. */
async function save(title: string, by = person): Promise<void> {
  const reply = await by.api.post('/saved_snippets', { title, content: 'x' });
  expect(reply.status).toBe(200);
}

const titles = (events: readonly object[]): unknown[] =>
  events.map((event) => (event as { saved_snippet?: { title: string } }).saved_snippet?.title);

const snippets = { event_types: ['saved_snippets'] };

describe('GET /events', () => {
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
    const held = await holdPollsOf(system, () => client.take());
    await save('now');
    expect(titles(await held.answer)).toEqual(['now']);
  });

  it.each([0, 1])('waits after an event with %i further acknowledged ids', async (more) => {
    const client = await EventClient.register(person.api, snippets);
    await save('one');
    await client.take();
    client.lastEventId += more;
    const held = await holdPollsOf(system, () => client.poll());
    await save('two');
    expect(titles(eventsOf(await held.answer))).toEqual(['two']);
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
    const takeAll = () => Promise.all(clients.map((client) => client.take()));
    const held = await holdPollsOf(system, takeAll, clients.length);
    await save('one');
    for (const events of await held.answer) expect(titles(events)).toEqual(['one']);
  });

  it('leaves out the types that the queue did not ask for', async () => {
    const client = await EventClient.register(person.api, { event_types: ['message'] });
    await save('one');
    expect(await client.drain()).toEqual([]);
  });

  it('ends the older of two polls with an empty list', async () => {
    const client = await EventClient.register(person.api, snippets);
    const older = await holdPollsOf(system, () => client.poll());
    const newer = client.poll();
    expect(eventsOf(await older.answer)).toEqual([]);
    await save('one');
    expect(titles(eventsOf(await newer))).toEqual(['one']);
  });

  it('survives the closed connection of a poll', async () => {
    const client = await EventClient.register(person.api, snippets);
    const query = { queue_id: client.queueId, last_event_id: client.lastEventId };
    const url = `${system.gatewayUrl}/api/v1/events?${encodeForm(query)}`;
    const headers = { authorization: basicAuthorization(person), host: person.host };
    const held = request(url, { headers });
    const { answer } = await holdPollsOf(system, () => once(held.end(), 'error'));
    held.destroy(new Error('The client is gone.'));
    await answer;
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
