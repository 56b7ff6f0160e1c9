import { describe, expect, it } from '@jest/globals';
import { eventually } from '#test/eventually';
import type { Reply } from '#test/http-request';
import { addOrganisation, type Person } from '#test/organisation';
import { ThrowawayRedis } from '#test/throwaway-redis';
import { useFixture } from '#test/use-fixture';
import { useSystem } from '#test/use-system';

const PEOPLE = 40;
/** The number of users before the outage. */
const EARLY = 10;
const OUTAGE_MS = 10_000;

const redis = useFixture(() => ThrowawayRedis.start({ keeps: true }));
const system = useSystem(() => ({
  programs: ['presence', 'api-gateway'],
  environment: {
    REDIS_URL: redis.url,
    // This test is about faults, not about rate limits.
    RATE_LIMIT_USER: '60:100000',
  },
}));

/** A client that reports and polls, and keeps the received state. */
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
class ContinuousLoad {
  polls = 0;
  #isOver = false;
  readonly #running: Promise<unknown>;

  constructor(clients: readonly Client[]) {
    this.#running = Promise.all(clients.map((client) => this.#run(client)));
    // end() rejects with the error.
    this.#running.catch(() => undefined);
  }

  /** Rejects with the first error of a client. */
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

/** Other requests of a client, which do not depend on Redis. */
const OTHER_REQUESTS: readonly ((client: Client, other: Client) => Promise<Reply>)[] = [
  ({ person }) => person.api.get('/streams'),
  ({ person }) => person.api.get('/saved_snippets'),
  ({ person }) => person.api.get(`/users/${person.id}/status`),
  ({ person }) => person.api.post('/users/me/status', { status_text: 'here' }),
  ({ person }) => person.api.patch('/settings', { presence_enabled: true }),
];

/** The other endpoints of presence. */
const READINGS: readonly ((client: Client, other: Client) => Promise<Reply>)[] = [
  ({ person }) => person.api.get('/realm/presence'),
  ({ person }, other) => person.api.get(`/users/${other.person.id}/presence`),
  ({ person }) => person.api.post('/users/me/presence', { status: 'idle' }),
  ({ person }) => person.api.post('/users/me/presence', { status: 'idle', ping_only: true }),
];

describe('An outage of Redis', () => {
  it('fails no request, and loses no report', async () => {
    const clients = await clientsOfAnOrganisation();
    const early = clients.slice(0, EARLY);
    const [known] = early;
    if (known === undefined) throw new Error('There is no client.');
    for (const client of early) await client.report();
    await redis.kill();
    const outageAt = nowSeconds();
    const deadline = performance.now() + OUTAGE_MS;
    for (let round = 0; performance.now() < deadline; round += 1) {
      await Promise.all(clients.map((client) => client.report()));
      const client = clients[round % clients.length] ?? known;
      for (const request of [...READINGS, ...OTHER_REQUESTS]) {
        expectNoFailure(await request(client, known));
      }
    }
    // The known state is returned during the outage.
    const newClient = new Client(known.person);
    await newClient.report();
    expect([...newClient.seen.keys()]).toEqual(idsOf(early));
    await redis.startAgain();
    for (const client of clients) {
      await eventually(async () => {
        await client.report();
        expect([...client.seen.keys()].toSorted((a, b) => a - b)).toEqual(idsOf(clients));
      });
    }
    const late = idsOf(clients.slice(EARLY));
    expect(late.filter((id) => (known.seen.get(id) ?? 0) < outageAt)).toEqual([]);
  });
});

describe('A thundering herd of clients', () => {
  it('is served while presence is killed, and at once when it runs again', async () => {
    const clients = await clientsOfAnOrganisation();
    const [watcher] = clients;
    if (watcher === undefined) throw new Error('There is no client.');
    const ids = idsOf(clients);
    for (const client of clients) await client.report();
    const load = new ContinuousLoad(clients);
    try {
      await system.kill('presence');
      const before = load.polls;
      await eventually(() => expect(load.polls).toBeGreaterThan(before + 2 * PEOPLE));
      await system.start('presence');
      // The first answer after the gateway has reconnected is complete.
      await eventually(async () => {
        const newClient = new Client(watcher.person);
        await newClient.report();
        expect(newClient.cursor).not.toBe(-1);
        expect([...newClient.seen.keys()]).toEqual(ids);
      });
    } finally {
      await load.end();
    }
  });
});
