import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { Reply } from '../support/http-request.js';
import { addOrganisation, type Person } from '../support/organisation.js';
import { startSystem, type System } from '../support/start-system.js';
import { ThrowawayRedis } from '../support/throwaway-redis.js';

// Some wait for other processes, on machines that have much else to do.
jest.setTimeout(120_000);

const PEOPLE = 40;
/** Who is there before anything happens. */
const EARLY = 10;
const OUTAGE_MS = 10_000;

let redis: ThrowawayRedis;
let system: System;

beforeAll(async () => {
  redis = await ThrowawayRedis.start({ keeps: true });
  system = await startSystem({
    programs: ['presence', 'api-gateway'],
    environment: {
      REDIS_URL: redis.url,
      // What is looked at here is trouble, not how much a client may ask.
      RATE_LIMIT_USER: '60:100000',
    },
  });
});

afterAll(async () => {
  await system?.stop();
  await redis?.remove();
});

/** A client that reports and follows the others, and remembers what it was told. */
class Client {
  cursor = -1;
  readonly seen = new Map<number, number>();

  constructor(readonly person: Person) {}

  async report(): Promise<void> {
    const reply = await this.person.api.post('/users/me/presence', {
      status: 'active',
      last_update_id: this.cursor,
    });
    expectNoFailure(reply);
    const cursor = Number(reply.body['presence_last_update_id']);
    expect(cursor).toBeGreaterThanOrEqual(this.cursor);
    this.cursor = cursor;
    // The shape of a successful answer in the modern format.
    const presences = reply.body['presences'] as Record<string, { idle_timestamp: number }>;
    for (const [id, { idle_timestamp: at }] of Object.entries(presences)) {
      this.seen.set(Number(id), at);
    }
  }
}

/** Clients that report one after another without a pause. */
class Herd {
  polls = 0;
  #isOver = false;
  readonly #running: Promise<unknown>;

  constructor(clients: readonly Client[]) {
    this.#running = Promise.all(clients.map((client) => this.#run(client)));
    // Whoever ends it hears of it.
    this.#running.catch(() => undefined);
  }

  /** Rejects with what one of them did not like. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #run(client: Client): Promise<void> {
    while (!this.#isOver) {
      await client.report();
      this.polls += 1;
    }
  }
}

const expectNoFailure = (reply: Reply) =>
  expect({ status: reply.status, msg: reply.body['msg'] }).toEqual({ status: 200, msg: '' });

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

async function clientsOfAnOrganisation(): Promise<Client[]> {
  const people = await (await addOrganisation(system)).addPeople(PEOPLE);
  return people.map((person) => new Client(person));
}

const idsOf = (clients: readonly Client[]): number[] => clients.map(({ person }) => person.id);

/** What a client does beside reporting, which has nothing to do with where presence is kept. */
const OTHER_REQUESTS: readonly ((client: Client, other: Client) => Promise<Reply>)[] = [
  ({ person }) => person.api.get('/streams'),
  ({ person }) => person.api.get('/saved_snippets'),
  ({ person }) => person.api.get(`/users/${person.id}/status`),
  ({ person }) => person.api.post('/users/me/status', { status_text: 'here' }),
  ({ person }) => person.api.patch('/settings', { presence_enabled: true }),
];

/** The other ways to presence, which know only of who was seen. */
const READINGS: readonly ((client: Client, other: Client) => Promise<Reply>)[] = [
  ({ person }) => person.api.get('/realm/presence'),
  ({ person }, other) => person.api.get(`/users/${other.person.id}/presence`),
  ({ person }) => person.api.post('/users/me/presence', { status: 'idle' }),
  ({ person }) => person.api.post('/users/me/presence', { status: 'idle', ping_only: true }),
];

describe('An outage of Redis', () => {
  it('fails no request, and loses nobody who reports meanwhile', async () => {
    const clients = await clientsOfAnOrganisation();
    const early = clients.slice(0, EARLY);
    const [known] = early;
    if (known === undefined) throw new Error('Nobody is there.');
    for (const client of early) await client.report();
    await redis.kill();
    const awayAt = nowSeconds();
    const deadline = performance.now() + OUTAGE_MS;
    for (let round = 0; performance.now() < deadline; round += 1) {
      await Promise.all(clients.map((client) => client.report()));
      const client = clients[round % clients.length] ?? known;
      for (const request of [...READINGS, ...OTHER_REQUESTS]) {
        expectNoFailure(await request(client, known));
      }
    }
    // What was known is told also while nothing new can be.
    const newcomer = new Client(known.person);
    await newcomer.report();
    expect([...newcomer.seen.keys()]).toEqual(idsOf(early));
    await redis.startAgain();
    for (const client of clients) {
      await eventually(async () => {
        await client.report();
        expect([...client.seen.keys()].toSorted((a, b) => a - b)).toEqual(idsOf(clients));
      });
    }
    const late = idsOf(clients.slice(EARLY));
    expect(late.filter((id) => (known.seen.get(id) ?? 0) < awayAt)).toEqual([]);
  });
});

describe('A herd of clients', () => {
  it('is served when presence is killed, and at once when it is back', async () => {
    const clients = await clientsOfAnOrganisation();
    const [watcher] = clients;
    if (watcher === undefined) throw new Error('Nobody is there.');
    const ids = idsOf(clients);
    for (const client of clients) await client.report();
    const herd = new Herd(clients);
    try {
      await system.kill('presence');
      const before = herd.polls;
      await eventually(() => expect(herd.polls).toBeGreaterThan(before + 2 * PEOPLE));
      await system.start('presence');
      // The gateway finds the program again within a second or so; then its first answer is whole.
      await eventually(async () => {
        const newcomer = new Client(watcher.person);
        await newcomer.report();
        expect(newcomer.cursor).not.toBe(-1);
        expect([...newcomer.seen.keys()]).toEqual(ids);
      }, 5000);
    } finally {
      await herd.end();
    }
  });
});
