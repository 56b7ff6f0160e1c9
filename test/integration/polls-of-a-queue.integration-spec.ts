import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { success } from '#test/answers';
import type { Fields } from '#test/api-client';
import { EventClient, eventsOf } from '#test/event-client';
import { eventually } from '#test/eventually';
import { freePorts } from '#test/free-ports';
import { addOrganisation, type Person } from '#test/organisation';
import { RedisMonitor } from '#test/redis-monitor';
import { ThrowawayRedis } from '#test/throwaway-redis';
import { saveSnippet, titlesOf, TwoGateways } from '#test/two-gateways';
import { useFixture } from '#test/use-fixture';

const POLL_ENDED_CHANNEL = 'carillon:events:poll-ended';
const BAD_QUEUE = { status: 400, body: { code: 'BAD_EVENT_QUEUE_ID' } };

const gateways = useFixture(() => TwoGateways.start());
let person: Person;

beforeEach(async () => {
  person = await gateways.organisation.addPerson();
});

const register = () => EventClient.register(person.api, { event_types: ['saved_snippets'] });

const save = (title: string) => saveSnippet(person, title);

const pollElsewhere = (client: EventClient, fields: Fields = {}) =>
  gateways.pollElsewhere(person, client, fields);

describe('The polls of one queue', () => {
  it('end the older one, and give the event to the newer one', async () => {
    const client = await register();
    const older = await gateways.hold(() => client.poll());
    const newer = pollElsewhere(client);
    expect(eventsOf(await older.answer)).toEqual([]);
    await save('one');
    expect(titlesOf(eventsOf(await newer))).toEqual(['one']);
  });

  it('are announced if they replace a poll of the other gateway, and not if they follow a poll of their own', async () => {
    const client = await register();
    const ended: unknown[] = [];
    await gateways.redis.run(async (connection) => {
      const subscriber = connection.duplicate();
      subscriber.on('message', (_channel, text) => ended.push(JSON.parse(text)));
      subscriber.once('ready', () => void subscriber.subscribe(POLL_ENDED_CHANNEL));
      await eventually(async () => {
        const [, count] = await connection.pubsub('NUMSUB', POLL_ENDED_CHANNEL);
        // Two gateways and this test.
        expect(count).toBe(3);
      });
      for (let polls = 0; polls < 3; polls += 1) await client.take({ dont_block: true });
      await pollElsewhere(client, { dont_block: true });
      const { queueId } = client;
      await eventually(() => expect(ended).toEqual([{ queueId, holder: expect.any(String) }]));
      subscriber.disconnect();
    });
  });

  it('read the log also for an account that has used up its requests', async () => {
    const busy = await (await addOrganisation(gateways.system)).addPerson();
    const client = await EventClient.register(busy.api, { event_types: ['saved_snippets'] });
    await saveSnippet(busy, 'one');
    const elsewhere = gateways.system.api(busy, gateways.otherUrl);
    await eventually(async () => {
      const requests = Array.from({ length: 100 }, () => elsewhere.get('/saved_snippets'));
      expect((await Promise.all(requests)).map(({ status }) => status)).toContain(429);
    });
    const poll = gateways.pollElsewhere(busy, client);
    expect(titlesOf(eventsOf(await poll))).toEqual(['one']);
  });

  it('get each event once and in order, wherever the client asks', async () => {
    const client = await register();
    // Polls that follow each other at one gateway, and changes of the gateway after one, two or three of them.
    const places = 'aababbaaabbbababaabbaaababbb';
    const received: unknown[] = [];
    for (const [count, place] of [...places].entries()) {
      await save(String(count));
      const poll = place === 'a' ? client.poll() : pollElsewhere(client);
      for (const event of eventsOf(await poll)) {
        received.push(...titlesOf([event]));
        client.lastEventId = event.id;
      }
    }
    expect(received).toEqual(Array.from({ length: places.length }, (_, count) => String(count)));
  });

  it('end when the other gateway has a newer one, also if they continue another poll', async () => {
    const client = await register();
    for (const title of ['one', 'two']) {
      await save(title);
      expect(titlesOf(await client.take())).toEqual([title]);
    }
    const older = await gateways.hold(() => client.poll());
    const newer = pollElsewhere(client);
    expect(eventsOf(await older.answer)).toEqual([]);
    const newest = client.poll();
    expect(eventsOf(await newer)).toEqual([]);
    await save('three');
    expect(titlesOf(eventsOf(await newest))).toEqual(['three']);
  });

  it.each([true, false])(
    'rejects an id before one that the previous poll has acknowledged; that poll waits: %s',
    async (isHeld) => {
      const client = await register();
      const last_event_id = client.lastEventId;
      for (const title of ['one', 'two']) {
        await save(title);
        expect(titlesOf(await client.take())).toEqual([title]);
      }
      const held = isHeld ? await gateways.hold(() => client.poll()) : null;
      expect(await client.poll({ last_event_id, dont_block: true })).toMatchObject({
        status: 400,
        body: { msg: `An event newer than ${last_event_id} has already been pruned!` },
      });
      await save('three');
      expect(titlesOf(eventsOf(await (held?.answer ?? client.poll())))).toEqual(['three']);
    },
  );

  it('make next to no requests to Redis if they follow each other at once', async () => {
    const client = await register();
    const monitor = await RedisMonitor.start(gateways.redis.url);
    /** Everything that Redis has executed so far. */
    const recorded = async () => {
      const mark = randomUUID();
      await gateways.redis.run((connection) => connection.echo(mark));
      await eventually(() => expect(monitor.recorded).toContain(mark));
      return monitor.recorded;
    };
    const commandsFor = async (polls: number) => {
      const { length } = await recorded();
      for (let count = 0; count < polls; count += 1) {
        await save('x');
        await client.take();
      }
      return (await recorded()).slice(length).split(client.queueId).length - 1;
    };
    // The script that records the first poll, and the commands inside it.
    const ofFirst = await commandsFor(1);
    expect(ofFirst).toBeGreaterThan(0);
    // A machine that stops for a second lets a poll end in between.
    expect(await commandsFor(20)).toBeLessThan(4 * ofFirst);
    monitor.stop();
  });

  it('end when the other gateway deletes the queue', async () => {
    const client = await register();
    const held = await gateways.hold(() => client.poll());
    await gateways.deleteElsewhere(person, client);
    expect(eventsOf(await held.answer)).toEqual([]);
    expect(await client.poll()).toMatchObject(BAD_QUEUE);
  });

  it.each([true, false])(
    'know of a deletion although the queue is in memory; Redis empty: %s',
    async (isEmptied) => {
      const client = await register();
      await client.take({ dont_block: true });
      await gateways.deleteElsewhere(person, client);
      if (isEmptied) await gateways.redis.run((connection) => connection.flushall());
      expect(await client.poll({ dont_block: true })).toMatchObject(BAD_QUEUE);
    },
  );
});

describe('A queue that is deleted with a change of the role', () => {
  const otherRedis = useFixture(() => ThrowawayRedis.start());
  /** A gateway whose messages over Redis no other one gets, as if it died after each commit. */
  let silentUrl: string;

  beforeAll(async () => {
    const [metricsPort] = await freePorts(1);
    silentUrl = await gateways.system.startGateway({
      REDIS_URL: otherRedis.url,
      GATEWAY_METRICS_PORT: String(metricsPort),
    });
  });

  it('ends at gateways that do not learn of it from Redis, and a later one does not', async () => {
    const owner = await gateways.organisation.addPerson({ role: roles.owner });
    const [waiting, other] = [await EventClient.register(person.api), await register()];
    expect(await other.poll({ dont_block: true })).toMatchObject(success);
    const held = await gateways.hold(() => waiting.poll());

    const change = { role: roles.guest };
    const reply = await gateways.system.api(owner, silentUrl).patch(`/users/${person.id}`, change);
    expect(reply).toMatchObject(success);

    expect(await held.answer).toMatchObject(success);
    expect(await waiting.poll()).toMatchObject(BAD_QUEUE);
    expect(await other.poll({ dont_block: true })).toMatchObject(BAD_QUEUE);
    const later = await EventClient.register(person.api);
    expect(eventsOf(await later.poll({ dont_block: true }))).toEqual([]);
  });
});
