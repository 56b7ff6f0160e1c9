import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { PresenceAnswer, PresenceRequest } from '#presence/rpc';
import { PresenceCounters } from '#presence/metrics';
import { RealmReplica, ServedRevisions } from '#presence/replica';
import type { PresenceChange, PresenceEntry } from '#presence/rules';
import { AnswerBuilder } from './answer-builder.js';
import { pollWith } from './poll.fixture.js';

/** The same in all changes, since no change is lost here. */
const CHAIN = 1;
const START_MS = 1_800_000_000_000;
const ACCOUNTS = 4;
/** More users than an unshared answer may have. */
const CROWD = 150;

type Presences = Readonly<Record<string, { readonly idle_timestamp: number }>>;

/** An account, with the idle time of each user that any of its clients has received. */
class Account {
  readonly seen = new Map<string, number>();

  constructor(readonly userId: number) {}
}

/** A client of an account, with its own cursor. */
class Client {
  cursor = -1;
  constructor(readonly account: Account) {}
}

/** One process, users who report, and clients that poll, while time passes in steps. */
class World {
  readonly clients: readonly Client[];
  readonly #answers: AnswerBuilder;
  readonly #served = new ServedRevisions();
  readonly #accounts = Array.from({ length: ACCOUNTS }, (_, index) => new Account(index + 1));
  #replica = RealmReplica.complete({ epoch: 1, top: 0, chain: CHAIN }, []);
  /** Changes that Redis has accepted and the replica does not have. */
  readonly #unfollowed: PresenceChange[] = [];
  readonly #latest = new Map<number, PresenceEntry>();
  #lastId = 0;
  #nowMs = START_MS;
  #timers: { readonly atMs: number; readonly run: () => void }[] = [];
  readonly #inFlight: Promise<void>[] = [];

  constructor(counters: PresenceCounters) {
    this.#answers = new AnswerBuilder(
      counters,
      () => this.#nowMs,
      (run, ms) => this.#timers.push({ atMs: this.#nowMs + ms, run }),
    );
    this.clients = this.#accounts.flatMap((account) => [new Client(account), new Client(account)]);
    for (let userId = 1; userId <= CROWD; userId += 1) this.#publish(userId);
    this.#follow(Infinity);
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'crowd':
        for (let count = 0; count < step.users; count += 1) {
          this.#publish(ACCOUNTS + 1 + ((step.first + count) % (CROWD - ACCOUNTS)));
        }
        break;
      case 'follow':
        this.#follow(step.most);
        break;
      case 'reload':
        this.#replica = RealmReplica.complete(
          { epoch: 1, top: this.#replica.position, chain: CHAIN },
          this.#replica.entries(),
        );
        break;
      case 'poll':
        this.#poll(this.clients[step.client], step);
        break;
      case 'wait':
        await this.#wait(step.ms);
    }
    await turn();
  }

  /** Resolves when all polls are answered. */
  async settle(): Promise<void> {
    this.#follow(Infinity);
    for (let count = 0; count < 5; count += 1) await this.#wait(250);
    await Promise.all(this.#inFlight);
  }

  async #wait(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const due = this.#timers.filter(({ atMs }) => atMs <= untilMs);
      const [next] = due.toSorted((one, other) => one.atMs - other.atMs);
      if (!next) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.run();
      await turn();
    }
    this.#nowMs = untilMs;
  }

  #poll(client: Client | undefined, step: Extract<Step, { kind: 'poll' }>): void {
    if (!client) throw new Error('A step names an unknown client');
    const { account } = client;
    const accepted = step.reports ? this.#publish(account.userId) : undefined;
    const wantsAll = step.asks === 'everybody' || client.cursor < 0;
    const request = pollWith({
      userId: account.userId,
      lastUpdateId: wantsAll ? -1 : client.cursor,
    });
    this.#inFlight.push(
      this.#ask(request).then((answer) => this.#check(client, request, answer, accepted)),
    );
  }

  #ask(request: PresenceRequest): Promise<PresenceAnswer> {
    const realm = {
      caughtUpReplica: async () => this.#replica,
      unappliedChange: (userId: number) =>
        this.#unfollowed.findLast(({ entry }) => entry.userId === userId)?.entry,
      served: this.#served,
    };
    const directory = { get: () => undefined, isStillToRead: () => false };
    return this.#answers.build(request, { realm, directory, limits: null });
  }

  #check(
    client: Client,
    request: PresenceRequest,
    answer: PresenceAnswer,
    accepted: PresenceEntry | undefined,
  ): void {
    const { seen, userId } = client.account;
    const parsed = JSON.parse(String(answer));
    const presences: Presences = parsed.presences;
    if (accepted) {
      expect(presences[userId]?.idle_timestamp).toBeGreaterThanOrEqual(accepted.idleAt);
    }
    // Collected first: an expect() per user would take most of the time of this test.
    const entries = Object.entries(presences).map(([user, times]) => ({ user, times }));
    const idleAtOf = (user: string) => seen.get(user) ?? 0;
    const older = entries.filter(({ user, times }) => times.idle_timestamp < idleAtOf(user));
    expect(older).toEqual([]);
    for (const { user, times } of entries) seen.set(user, times.idle_timestamp);
    if (request.lastUpdateId === -1) {
      expect([...seen.keys()].filter((user) => !(user in presences))).toEqual([]);
    }
    const cursor: number = parsed.presence_last_update_id;
    expect(cursor).toBeGreaterThanOrEqual(request.lastUpdateId ?? -1);
    client.cursor = Math.max(client.cursor, cursor);
  }

  /** Each change has a later time than the previous one. */
  #publish(userId: number): PresenceEntry {
    const previousId = this.#lastId;
    this.#lastId = Math.max(previousId + 1, this.#nowMs * 1000);
    const idleAt = Math.floor(START_MS / 1000) + this.#latest.size + this.#changes;
    this.#changes += 1;
    const entry: PresenceEntry = {
      userId,
      id: this.#lastId,
      activeAt: idleAt,
      idleAt,
      joinedAt: 1,
      hiddenAt: 0,
      isDeactivated: false,
    };
    this.#latest.set(userId, entry);
    this.#unfollowed.push({ entry, previousId, previousChain: CHAIN, chain: CHAIN });
    return entry;
  }

  #changes = 0;

  #follow(most: number): void {
    for (const change of this.#unfollowed.splice(0, most)) this.#replica.apply(change);
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

type Step =
  | { kind: 'crowd'; first: number; users: number }
  | { kind: 'follow'; most: number }
  | { kind: 'reload' }
  | { kind: 'poll'; client: number; reports: boolean; asks: 'everybody' | 'changes' }
  | { kind: 'wait'; ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('crowd' as const),
      first: fc.nat(CROWD),
      users: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 110, max: CROWD })),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('follow' as const),
      most: fc.constantFrom(1, 50, 1000, 1000, 1000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reload' as const) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('poll' as const),
      client: fc.nat(2 * ACCOUNTS - 1),
      reports: fc.boolean(),
      asks: fc.constantFrom('everybody' as const, 'changes' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 40, 100, 250, 1000, 90_000),
    }),
  },
);

describe('An answer of any size, in any order of events', () => {
  it('has the viewer’s own report, and is not older than the previous answer of the account', async () => {
    const counters = new PresenceCounters();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const world = new World(counters);
        for (const taken of steps) await world.take(taken);
        await world.settle();
      }),
    );
    // The test is about sharing only if answers were shared.
    expect(counters.sharedAnswersReused).toBeGreaterThan(50);
    expect(counters.answers.own).toBeGreaterThan(50);
  });
});
