import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Balancer } from '#test/balancer';
import { ChaosProgram, lastLogLinesOf } from '#test/chaos-program';
import { chaosSeed, isLongRun } from '#test/chaos-run';
import { SeededRandom } from '#test/seeded-random';
import { EventChaosClient } from '#test/event-chaos-client';
import { type EventFault, causeEventFaults } from '#test/event-chaos-faults';
import { changes } from '#test/event-chaos-state';
import { EventChaosWriter } from '#test/event-chaos-writer';
import { eventually } from '#test/eventually';
import { freePorts } from '#test/free-ports';
import { addOrganisation } from '#test/organisation';
import { startSystem, type System } from '#test/start-system';
import { ThrowawayPostgres } from '#test/throwaway-postgres';
import { ThrowawayRedis } from '#test/throwaway-redis';

jest.setTimeout(isLongRun ? 3_600_000 : 240_000);

const SEED = chaosSeed;
const GATEWAYS = 2;
const ACCOUNTS = 2;
// The connections of a test to one address are limited to 64.
const CLIENTS = isLongRun ? 22 : 3;
const WRITERS = isLongRun ? 4 : 2;
const WRITE_PAUSE_MS = isLongRun ? 0 : 10;
/** The long run ends with the faults after this number of events. */
const MIN_DELIVERED = isLongRun ? 1_000_000 : 1000;

/** The clients and writers of one person. */
interface Account {
  readonly clients: readonly EventChaosClient[];
  readonly writers: readonly EventChaosWriter[];
}

let redis: ThrowawayRedis;
let postgres: ThrowawayPostgres;
let presence: ChaosProgram;
let worker: ChaosProgram;
let system: System;
let gateways: readonly { readonly url: string; readonly program: ChaosProgram }[];
let balancer: Balancer;
let accounts: readonly Account[];

beforeAll(async () => {
  redis = await ThrowawayRedis.start();
  postgres = await ThrowawayPostgres.start();
  // This test is about faults, not about limits.
  const unlimited = '60:100000000';
  system = await startSystem({
    programs: ['push-sandbox'],
    database: postgres.open(),
    environment: {
      REDIS_URL: redis.url,
      RATE_LIMIT_USER: unlimited,
      RATE_LIMIT_ADDRESS: unlimited,
      RATE_LIMIT_EVENT_QUEUE: unlimited,
      MAX_SAVED_SNIPPETS: '100000',
      SHUTDOWN_DELAY_SECONDS: '1',
    },
  });
  const [presenceHealth = 0, workerHealth = 0, ...ports] = await freePorts(2 + 2 * GATEWAYS);
  presence = otherProgram('presence', presenceHealth);
  worker = otherProgram('push-worker', workerHealth);
  gateways = Array.from({ length: GATEWAYS }, (_, index) => {
    const [port = 0, healthPort = 0] = ports.slice(2 * index);
    const environment = { PORT: String(port) };
    const given = { name: 'api-gateway', index, healthPort, environment } as const;
    return { url: `http://127.0.0.1:${port}`, program: new ChaosProgram(system, given) };
  });
  await presence.start();
  await Promise.all([worker, ...gateways.map(({ program }) => program)].map((one) => one.start()));
  balancer = await Balancer.start(gateways.map(({ url }) => url));
  await untilAllAreUsed();
});

afterAll(async () => {
  balancer?.stop();
  const programs = (gateways ?? []).map(({ program }) => program);
  await Promise.all([presence, worker, ...programs].map((one) => one?.stop()));
  await system?.stop();
  await postgres?.remove();
  await redis?.remove();
});

/** A program that answers also while stores are down. */
const otherProgram = (name: 'presence' | 'push-worker', healthPort: number): ChaosProgram =>
  new ChaosProgram(system, { name, index: 0, healthPort, startedWhen: 'live' });

const untilAllAreUsed = () =>
  eventually(() => expect(gateways.every(({ url }) => balancer.uses(url))).toBe(true));

async function openAccounts(): Promise<Account[]> {
  const people = await (await addOrganisation(system)).addPeople(ACCOUNTS);
  const ids = people.map(({ id }) => id);
  return Promise.all(
    people.map(async (person, account) => {
      const api = system.api(person, balancer.url);
      const clients = Array.from({ length: CLIENTS }, () => EventChaosClient.register(api));
      const writers = Array.from(
        { length: WRITERS },
        (_, index) => new EventChaosWriter(api, `${account}.${index}`, index === 0, ids),
      );
      return { clients: await Promise.all(clients), writers };
    }),
  );
}

const delivered = (): number =>
  accounts
    .flatMap(({ clients }) => clients)
    .reduce((sum, client) => sum + client.changes.length, 0);

async function causeFaults(): Promise<EventFault[]> {
  const random = new SeededRandom(SEED);
  const programs = gateways.map(({ program }) => program);
  const stores = { redis, postgres };
  const targets = { system, gateways: programs, presence, worker, ...stores, untilAllAreUsed };
  const order: EventFault[] = [];
  do order.push(...(await causeEventFaults(targets, random)));
  while (delivered() < MIN_DELIVERED);
  return order;
}

/** Lets clients poll and writers write during the faults, until each client has the last change of its account. */
async function live(): Promise<EventFault[]> {
  const life = new AbortController();
  const LAST = 'last';
  const polling = accounts.flatMap(({ clients }) =>
    clients.map((client) => client.pollUntil(changes.added(LAST))),
  );
  const writing = accounts.flatMap(({ writers }) =>
    writers.map((writer) => writer.writeUntil(life.signal, WRITE_PAUSE_MS)),
  );
  const order = await causeFaults();
  life.abort();
  await Promise.all(writing);
  await Promise.all(accounts.map(({ writers: [writer] }) => writer?.finish(LAST)));
  await Promise.all(polling);
  return order;
}

describe(`Programs, Redis and PostgreSQL that fail while clients poll (--seed=${SEED})`, () => {
  const clients = () => accounts.flatMap((account) => account.clients);

  beforeAll(async () => {
    accounts = await openAccounts();
    try {
      const order = await live();
      const interruptions = clients().reduce((sum, one) => sum + one.interruptions, 0);
      process.stdout.write(
        `events chaos --seed=${SEED}: ${delivered()} delivered, ${interruptions} polls repeated; ` +
          `${order.join(', ')}\n`,
      );
    } catch (error) {
      throw new Error(await lastLogLinesOf(gateways.map(({ program }) => program)), {
        cause: error,
      });
    }
  });

  it('lose no queue, and refuse no poll and no change', () => {
    expect(clients().flatMap(({ refused }) => refused)).toEqual([]);
    expect(accounts.flatMap(({ writers }) => writers.flatMap(({ refused }) => refused))).toEqual(
      [],
    );
    expect(delivered()).toBeGreaterThanOrEqual(MIN_DELIVERED);
  });

  it('deliver every confirmed change once, in the order of its requests', () => {
    for (const account of accounts) {
      for (const { changes: received } of account.clients) {
        for (const writer of account.writers) {
          const confirmed = new Set(writer.confirmed);
          expect(received.filter((change) => confirmed.has(change))).toEqual(writer.confirmed);
        }
      }
    }
  });

  it('deliver every confirmed message once to each recipient, in the order of its sender', () => {
    const writers = accounts.flatMap((account) => account.writers);
    for (const { changes: received } of clients()) {
      for (const { sent } of writers) {
        const confirmed = new Set(sent);
        expect(received.filter((change) => confirmed.has(change))).toEqual(sent);
      }
    }
  });

  it('deliver a change without an answer at most once, and the same to all clients', () => {
    for (const account of accounts) {
      for (const { changes: received } of account.clients) {
        expect(new Set(received).size).toBe(received.length);
        expect(received).toEqual(account.clients[0]?.changes);
      }
    }
  });

  it('deliver no change without a request', () => {
    const requested = new Set(
      accounts
        .flatMap(({ writers }) => writers)
        .flatMap(({ confirmed, uncertain }) => [...confirmed, ...uncertain]),
    );
    const received = clients().flatMap((client) => client.changes);
    expect(received.filter((change) => !requested.has(change))).toEqual([]);
  });

  it('number the events in ascending order', () => {
    expect(clients().flatMap(({ wentBack }) => wentBack)).toEqual([]);
  });

  it('leave each client with the state of a new registration', async () => {
    for (const client of clients()) {
      // The balancer has closed connections that were idle during the comparisons of a long run.
      expect(await eventually(() => client.rest())).toEqual([]);
      const fresh = await eventually(() => client.freshState());
      expect(client.state.plain()).toEqual(fresh.plain());
    }
  });
});
