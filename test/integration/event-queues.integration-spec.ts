import { beforeEach, describe, expect, it } from '@jest/globals';
import { EventRepository, newEvents } from '#events/log';
import type { Session, Transaction } from '#platform/database';
import type { Fields } from '#test/api-client';
import { EventClient, eventsOf } from '#test/event-client';
import { eventually } from '#test/eventually';
import type { Person } from '#test/organisation';
import { saveSnippet, titlesOf, TwoGateways } from '#test/two-gateways';
import { useFixture } from '#test/use-fixture';

const BAD_QUEUE = { status: 400, body: { code: 'BAD_EVENT_QUEUE_ID' } };

const gateways = useFixture(() => TwoGateways.start());
let person: Person;

beforeEach(async () => {
  person = await gateways.organisation.addPerson();
});

const snippets = { event_types: ['saved_snippets'] };
const register = () => EventClient.register(person.api, snippets);

const save = (title: string) => saveSnippet(person, title);

const pollElsewhere = (client: EventClient, fields: Fields = {}) =>
  gateways.pollElsewhere(person, client, fields);

/** Stores events of the person, numbered from 0, without an announcement. `before` runs first in their transaction. */
async function storeMany(
  count: number,
  before: (transaction: Transaction) => Promise<unknown> = () => Promise.resolve(),
  text = '',
): Promise<void> {
  const { database } = gateways.system.database;
  const numbered = Array.from({ length: count }, (_, number) => ({
    realmId: gateways.organisation.id,
    type: 'saved_snippets',
    body: { number, text },
    audience: { userIds: [person.id] },
  }));
  await database.transaction(async (transaction) => {
    await before(transaction);
    await new EventRepository(database).append(transaction, gateways.organisation.id, numbered);
  });
}

describe('A poll', () => {
  it('accepts an id that only the other gateway has seen', async () => {
    const client = await register();
    await client.take({ dont_block: true });
    await storeMany(3);
    for (const { id } of eventsOf(await pollElsewhere(client, { dont_block: true }))) {
      client.lastEventId = id;
    }
    expect(await client.take({ dont_block: true })).toEqual([]);
  });
});

describe('A queue with many undelivered events', () => {
  it('gets them from PostgreSQL when the gateway does not have all in memory', async () => {
    const client = await register();
    await client.take({ dont_block: true });
    await storeMany(6200);
    const numbers = (await client.drain()).map((event) => event['number']);
    expect(numbers).toEqual(Array.from({ length: 6200 }, (_, number) => number));
    const held = client.poll();
    await save('after them');
    expect(titlesOf(eventsOf(await held))).toEqual(['after them']);
  });

  it('gets large ones, which are read in parts', async () => {
    const client = await register();
    await client.take({ dont_block: true });
    // More than the gateway keeps in memory.
    await storeMany(400, undefined, 'x'.repeat(50_000));
    const numbers = (await client.drain()).map((event) => event['number']);
    expect(numbers).toEqual(Array.from({ length: 400 }, (_, number) => number));
  });

  it('is deleted beyond 50,000, and not one of another account or of other types', async () => {
    const client = await register();
    const ofOtherTypes = await EventClient.register(person.api, { event_types: ['realm_emoji'] });
    const other = await EventClient.register(
      (await gateways.organisation.addPerson()).api,
      snippets,
    );
    await storeMany(50_000);
    expect(eventsOf(await client.poll({ dont_block: true })).length).toBe(1000);
    await storeMany(1);
    expect(await client.poll({ dont_block: true })).toMatchObject(BAD_QUEUE);
    expect(await pollElsewhere(client, { dont_block: true })).toMatchObject(BAD_QUEUE);
    expect(await other.take({ dont_block: true })).toEqual([]);
    expect(await ofOtherTypes.take({ dont_block: true })).toEqual([]);
    expect(eventsOf(await pollElsewhere(ofOtherTypes, { dont_block: true }))).toEqual([]);
  });
});

describe('A queue without a poll', () => {
  const IDLE_SECONDS = 4;
  const registerShortly = () =>
    EventClient.register(person.api, { idle_queue_timeout: IDLE_SECONDS });
  const keyOf = ({ queueId }: EventClient) => `carillon:events:queue:${queueId}`;

  /** Sets the time of expiry in Redis to one long ago. */
  const expire = (client: EventClient) =>
    gateways.redis.run((connection) => connection.hset(keyOf(client), 'deadline', 1));

  it('expires', async () => {
    const [polled, deleted] = [await registerShortly(), await registerShortly()];
    expect(polled.state['idle_queue_timeout_secs']).toBe(IDLE_SECONDS);
    await expire(polled);
    await expire(deleted);
    expect(await polled.poll({ dont_block: true })).toMatchObject(BAD_QUEUE);
    expect(await gateways.deleteElsewhere(person, deleted)).toMatchObject(BAD_QUEUE);
  });

  it('does not expire if PostgreSQL alone has recorded a poll, because Redis was down', async () => {
    const [polled, deleted] = [await registerShortly(), await registerShortly()];
    await gateways.system.database.database.prisma.eventQueue.updateMany({
      where: { id: { in: [polled.queueId, deleted.queueId] } },
      data: { polledAt: new Date() },
    });
    await expire(polled);
    await expire(deleted);
    expect(await polled.take({ dont_block: true })).toEqual([]);
    expect(await gateways.deleteElsewhere(person, deleted)).toMatchObject({ status: 200 });
  });

  it('expires later than a poll ends that is held', async () => {
    const client = await registerShortly();
    const held = await gateways.hold(() => client.poll());
    const deadline = await gateways.redis.run((connection) =>
      connection.hget(keyOf(client), 'deadline'),
    );
    expect(Number(deadline)).toBeGreaterThan(Date.now() + 55_000);
    await save('late');
    expect(eventsOf(await held.answer)).toHaveLength(1);
  });
});

describe('Without Redis', () => {
  it('a queue survives the loss of its state', async () => {
    const client = await register();
    await save('one');
    await client.take();
    await gateways.redis.run((connection) => connection.flushall());
    await save('two');
    expect(titlesOf(await client.take())).toEqual(['two']);
    expect(eventsOf(await pollElsewhere(client, { dont_block: true }))).toEqual([]);
  });

  it('held and new polls get events, and queues are created and deleted', async () => {
    const early = await register();
    const held = await gateways.hold(() => early.take());
    await gateways.redis.kill();
    try {
      await save('one');
      expect(titlesOf(await held.answer)).toEqual(['one']);

      const late = await register();
      const waiting = await gateways.hold(() => late.take());
      await save('two');
      expect(titlesOf(await early.drain())).toEqual(['two']);
      expect(titlesOf(await waiting.answer)).toEqual(['two']);

      await gateways.deleteElsewhere(person, late);
      expect(await late.poll({ dont_block: true })).toMatchObject(BAD_QUEUE);
    } finally {
      await gateways.redis.startAgain();
    }
    await save('three');
    expect(titlesOf(await early.take())).toEqual(['three']);
  });
});

describe('A gateway that stops', () => {
  it('answers its held polls, and another gateway goes on', async () => {
    const clients = await Promise.all([register(), register()]);
    const takeAll = () => Promise.all(clients.map((client) => client.take()));
    const held = await gateways.hold(takeAll, clients.length);
    const stopped = gateways.system.kill('api-gateway', 'SIGTERM');
    for (const events of await held.answer) {
      expect(events).toMatchObject([{ type: 'heartbeat' }]);
    }
    await stopped;
    const elsewhere = gateways.system.api(person, gateways.otherUrl);
    await elsewhere.post('/saved_snippets', { title: 'later', content: 'x' });
    for (const client of clients) {
      expect(titlesOf(eventsOf(await pollElsewhere(client)))).toEqual(['later']);
    }
    await gateways.system.start('api-gateway');
  });
});

describe('After PostgreSQL was restored to an earlier state', () => {
  const database = () => gateways.system.database.database;

  const newestPosition = async (): Promise<number> => {
    const { position } = await new EventRepository(database()).head(gateways.organisation.id);
    return position;
  };

  /** Resolves when a gateway has stored the newest position in Redis, as they do once a second. */
  const untilKnown = (position: number) =>
    eventually(() =>
      gateways.redis.run(async (connection) => {
        const known = await connection.hget('carillon:events:heads', `${gateways.organisation.id}`);
        expect(known?.split(' ')[0]).toBe(String(position));
      }),
    );

  /** Removes everything of the log that is newer. Queues that were created later are lost too. */
  async function restore(position: number, session: Session = database()): Promise<void> {
    const values = [gateways.organisation.id, position];
    const lose = 'DELETE FROM events WHERE realm_id = $1 AND position > $2';
    await session.query('lose_events', lose, values);
    const goBack = 'UPDATE event_heads SET position = $2 WHERE realm_id = $1';
    await session.query('go_back', goBack, values);
  }

  it('a queue with later events ends, and a new one gets the events in their place', async () => {
    const client = await register();
    await save('before the backup');
    const position = await newestPosition();
    await save('lost');
    await save('lost too');
    expect(titlesOf(await client.drain())).toHaveLength(3);
    const held = await gateways.hold(() => client.poll());
    const heldElsewhere = await gateways.holdElsewhere(person, await register());
    await restore(position);
    // Each gateway notices it, and deletes the queues.
    expect(eventsOf(await held.answer)).toEqual([]);
    expect(eventsOf(await heldElsewhere.answer)).toEqual([]);
    expect(await client.poll({ dont_block: true })).toMatchObject(BAD_QUEUE);
    expect(await pollElsewhere(client, { dont_block: true })).toMatchObject(BAD_QUEUE);
    const fresh = await register();
    await save('in its place');
    expect(titlesOf(await fresh.drain())).toEqual(['in its place']);
    expect(titlesOf(eventsOf(await pollElsewhere(fresh, { dont_block: true })))).toEqual([]);
  });

  it.each([
    ['as many', 2],
    ['more', 3],
  ])(
    'a queue ends also if the log has %s events again before a gateway looks, as after the failover to a standby',
    async (_, again) => {
      const client = await register();
      await save('replicated');
      const position = await newestPosition();
      await save('lost');
      await save('lost too');
      expect(titlesOf(await client.drain())).toHaveLength(3);
      const held = await gateways.hold(() => client.poll());
      const heldElsewhere = await gateways.holdElsewhere(person, await register());
      await storeMany(again, (transaction) => restore(position, transaction));
      await gateways.redis.run((connection) =>
        connection.publish(newEvents.name, `${gateways.organisation.id}`),
      );
      expect(eventsOf(await held.answer)).toEqual([]);
      expect(eventsOf(await heldElsewhere.answer)).toEqual([]);
      expect(await client.poll({ dont_block: true })).toMatchObject(BAD_QUEUE);
      expect(await pollElsewhere(client, { dont_block: true })).toMatchObject(BAD_QUEUE);
      const fresh = await register();
      await save('afterwards');
      expect(titlesOf(await fresh.drain())).toEqual(['afterwards']);
    },
  );

  it('a queue ends also if no gateway ran meanwhile', async () => {
    const client = await register();
    await save('before the backup');
    const position = await newestPosition();
    await save('lost');
    await client.drain();
    await untilKnown(await newestPosition());
    await gateways.system.stopPrograms();
    await restore(position);
    // The log is longer than before again.
    await storeMany(3);
    await gateways.system.start('api-gateway');
    expect(await client.poll({ dont_block: true })).toMatchObject(BAD_QUEUE);
    const fresh = await register();
    await save('afterwards');
    expect(titlesOf(await fresh.drain())).toEqual(['afterwards']);
  });

  it('a queue ends also if Redis has lost its data as well', async () => {
    const client = await register();
    await save('before the backup');
    const position = await newestPosition();
    await save('lost');
    await client.drain();
    await gateways.system.stopPrograms();
    await restore(position);
    await gateways.redis.run((connection) => connection.flushall());
    await gateways.system.start('api-gateway');
    expect(await client.poll({ dont_block: true })).toMatchObject(BAD_QUEUE);
    expect(await client.poll({ dont_block: true })).toMatchObject(BAD_QUEUE);
    const fresh = await register();
    await save('afterwards');
    expect(titlesOf(await fresh.drain())).toEqual(['afterwards']);
  });
});
