import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PresenceRequest } from '#presence/rpc';
import { PresenceClient } from '#presence/client';
import { type PresenceRuntime, PresenceServer } from '#presence/server';
import { eventually } from '#test/eventually';
import { parseAnswer, PresenceRealm } from '#test/presence-realm';
import { ExpectedPresence } from '#test/presence-expected-state';
import { PresenceViewer } from '#test/presence-viewer';
import { SeededRandom } from '#test/seeded-random';
import { startPresence } from '#test/start-presence';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { FakeNames, HOST } from '#test/presence-transport-world';

const SERVERS = ['a', 'b', 'c'];
/** So many that each of three servers gets some of them, except once in a hundred thousand runs. */
const REALMS = 30;
const USERS = 2;
const PAUSE_MS = 50;
/** An answer waits this long for Redis to accept its report; a later one may be without it. */
const MAX_WAIT_FOR_REDIS_MS = 500;
/** One poll in this many comes from another client of the account and asks for all users. */
const ANEW_EVERY = 5;

/** A presence process behind a socket, which records its requests and answers. */
class WatchedServer {
  /** The organisations of the requests since `forget`. */
  readonly realms = new Set<number>();
  /** The latest time that an account received of another one. */
  readonly #received = new Map<string, number>();

  private constructor(
    private readonly runtime: PresenceRuntime,
    private readonly server: PresenceServer,
    readonly port: number,
  ) {}

  static async start({ database }: TestDatabase): Promise<WatchedServer> {
    const runtime = await startPresence(database);
    const service = Object.create(runtime.service) as typeof runtime.service;
    const server = new PresenceServer(service);
    const port = await server.listen({ host: HOST, port: 0 });
    const watched = new WatchedServer(runtime, server, port);
    service.report = async (request) => {
      watched.realms.add(request.realmId);
      const answer = await runtime.service.report(request);
      watched.#note(request, parseAnswer(answer).presences);
      return answer;
    };
    return watched;
  }

  async stop(): Promise<void> {
    await this.server.close();
    await this.runtime.stop();
  }

  #note(
    { userId }: PresenceRequest,
    presences: Readonly<Record<string, { idle_timestamp: number }>>,
  ): void {
    for (const [other, { idle_timestamp: idleAt }] of Object.entries(presences)) {
      const key = `${userId} ${other}`;
      const before = this.#received.get(key) ?? 0;
      if (idleAt < before) throw new Error(`${userId} received an earlier state of ${other}`);
      this.#received.set(key, idleAt);
    }
  }
}

/** A user who reports with each poll, and keeps the received state. */
class Person {
  polls = 0;
  /** The answers with the user's own report. */
  answersWithReport = 0;
  readonly viewer: PresenceViewer;

  constructor(
    userId: number,
    private readonly realm: PresenceRealm,
    private readonly expected: ExpectedPresence,
    private readonly gateway: PresenceClient,
  ) {
    this.viewer = new PresenceViewer(userId);
  }

  /** Fails if the answer lacks the user's own report, or moves the cursor back. */
  async poll(): Promise<void> {
    const { userId } = this.viewer;
    const report = this.expected.report(userId, true);
    this.polls += 1;
    const viewer = this.polls % ANEW_EVERY === 0 ? new PresenceViewer(userId) : this.viewer;
    const beganAtMs = performance.now();
    await viewer.poll(this.gateway, (cursor) => {
      return { ...report, pingOnly: false, lastUpdateId: cursor };
    });
    const hasReport = viewer.state.get(userId)?.active_timestamp === report.reportedAt;
    if (hasReport) this.answersWithReport += 1;
    else if (performance.now() - beganAtMs < MAX_WAIT_FOR_REDIS_MS) {
      throw new Error(`The answer to ${userId} lacks its own report`);
    }
  }

  async expectToSeeEverything(): Promise<void> {
    await this.viewer.poll(this.gateway, (cursor) => this.realm.poll(this.viewer.userId, cursor));
    expect(this.viewer.state).toEqual(this.expected.state);
  }
}

const random = new SeededRandom(1);

describe('Presence processes that are added and removed behind a name', () => {
  let stores: TestDatabase;
  let servers: WatchedServer[];
  let names: FakeNames;
  let gateway: PresenceClient;
  let people: Person[];
  let polling: AbortController;

  beforeEach(async () => {
    stores = await createTestDatabase();
    servers = await Promise.all(SERVERS.map(() => WatchedServer.start(stores)));
    names = new FakeNames();
    useServers(0);
    const addresses = [{ host: 'presence', port: 1 }];
    const discovery = { discoveryMs: 50, resolve: names.resolve };
    gateway = new PresenceClient({ addresses, deadlineMs: 20_000, ...discovery });
    people = [];
    polling = new AbortController();
    for (let count = 0; count < REALMS; count += 1) {
      const realm = await PresenceRealm.create(stores.database);
      const expected = new ExpectedPresence(realm);
      const users = await realm.addUsers(USERS);
      people.push(...users.map((userId) => new Person(userId, realm, expected, gateway)));
    }
  });

  afterEach(async () => {
    polling.abort();
    await gateway.close();
    await Promise.all(servers.map((server) => server.stop()));
    await stores.drop();
  });

  function useServers(...indexes: readonly number[]): void {
    names.standFor(...indexes.map((index) => servers[index]?.port ?? 0));
  }

  async function pollOn(person: Person): Promise<void> {
    while (!polling.signal.aborted) {
      await person.poll();
      await delay(random.between(0, 2 * PAUSE_MS));
    }
  }

  async function everybodyPolls(times: number): Promise<void> {
    const before = people.map(({ polls }) => polls);
    await eventually(() => {
      for (const [index, { polls }] of people.entries()) {
        expect(polls).toBeGreaterThan((before[index] ?? 0) + times);
      }
    });
  }

  /** The servers that each organisation is with, by their names, while everybody polls a few times more. */
  async function placesFromNowOn(): Promise<Map<number, string>> {
    // Requests in flight are answered by then.
    await everybodyPolls(1);
    for (const { realms } of servers) realms.clear();
    await everybodyPolls(ANEW_EVERY);
    const places = new Map<number, string>();
    for (const [index, { realms }] of servers.entries()) {
      for (const realm of realms) places.set(realm, (places.get(realm) ?? '') + SERVERS[index]);
    }
    return places;
  }

  const connected = (count: number) =>
    eventually(() => expect([gateway.openConnections, gateway.addresses]).toEqual([count, count]));

  it('take over organisations and return them, invisibly to polling clients', async () => {
    const polled = Promise.all(people.map(pollOn));
    const phases = async () => {
      await connected(1);
      const alone = await placesFromNowOn();
      useServers(0, 1, 2);
      await connected(3);
      const spread = await placesFromNowOn();
      useServers(1, 2);
      await connected(2);
      const without = await placesFromNowOn();
      useServers(0);
      await connected(1);
      return { alone, spread, without, again: await placesFromNowOn() };
    };
    // Rejects with the first failure.
    const places = await Promise.race([phases(), polled.then(() => undefined)]);
    polling.abort();
    await polled;

    expect([...(places?.alone.values() ?? [])]).toEqual(Array.from({ length: REALMS }, () => 'a'));
    // Each organisation has one server, and each server has some organisations.
    expect(new Set(places?.spread.values())).toEqual(new Set(SERVERS));
    // Only the organisations of the removed server have moved.
    for (const [realm, place] of places?.spread ?? []) {
      expect(place === 'a' ? ['b', 'c'] : [place]).toContain(places?.without.get(realm));
    }
    expect(places?.again).toEqual(places?.alone);
    await eventually(() => Promise.all(people.map((person) => person.expectToSeeEverything())));
    const sumOf = (count: (person: Person) => number) =>
      people.reduce((sum, person) => sum + count(person), 0);
    // Otherwise Redis was too slow for the test to show anything.
    expect(sumOf(({ answersWithReport }) => answersWithReport)).toBeGreaterThan(
      sumOf(({ polls }) => polls) / 2,
    );
    const { results } = gateway.counters;
    expect([results.unanswered, results.refused, gateway.bufferedUsers]).toEqual([0, 0, 0]);
  });
});
