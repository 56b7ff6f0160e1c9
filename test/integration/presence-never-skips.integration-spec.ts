import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PresenceRuntime } from '#presence';
import { eventually } from '../support/eventually.js';
import {
  JOINED_AT,
  nowSeconds,
  parseAnswer,
  PresenceRealm,
  type PresenceTimes,
  usersIn,
} from '../support/presence-realm.js';
import { createTestDatabase, type TestDatabase, testRedisUrl } from '../support/test-stores.js';
import { withRedis } from '../support/throwaway-redis.js';

const USERS = 4;
const PROCESSES = 2;

/** What may happen, in any order. Users and processes are given by their index. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('report' as const), ...whoAndWhere() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('hide or show' as const), ...whoAndWhere() }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('poll' as const), ...whoAndWhere() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('flush' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('dump' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('go back to the dump' as const) }) },
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function whoAndWhere() {
  return {
    user: fc.nat(USERS - 1),
    via: fc.nat(PROCESSES - 1),
    isActive: fc.boolean(),
  };
}

/** A client: what it has been told, all in all. */
class Viewer {
  cursor = -1;
  readonly picture = new Map<number, PresenceTimes>();

  constructor(readonly userId: number) {}

  async poll(runtime: PresenceRuntime, realm: PresenceRealm): Promise<void> {
    const text = await runtime.service.report(realm.poll(this.userId, this.cursor));
    const answer = parseAnswer(text);
    expect(answer.presence_last_update_id).toBeGreaterThanOrEqual(this.cursor);
    this.cursor = answer.presence_last_update_id;
    for (const userId of usersIn(answer)) {
      const times = answer.presences[userId];
      if (times) this.picture.set(userId, times);
    }
  }
}

/**
 * What was found once: Redis goes back to where the mirror of the process stands that has accepted a
 * change since, and so nothing looks amiss there.
 */
const BACK_TO_A_TRAILING_MIRROR: Step[] = [
  { kind: 'hide or show', user: 0, via: 0, isActive: false },
  { kind: 'report', user: 0, via: 1, isActive: true },
  { kind: 'report', user: 3, via: 1, isActive: true },
  { kind: 'dump' },
  { kind: 'report', user: 3, via: 0, isActive: false },
  { kind: 'go back to the dump' },
];

/** Redis forgets at once what was accepted by a process that was only just reading the realm. */
const LOST_WHILE_READ: Step[] = [
  { kind: 'poll', user: 0, via: 0, isActive: true },
  { kind: 'report', user: 0, via: 0, isActive: false },
  { kind: 'hide or show', user: 0, via: 1, isActive: true },
  { kind: 'flush' },
];

/** One history of a realm, with what everybody should see at its end. */
class History {
  readonly #expected = new Map<number, PresenceTimes>();
  readonly #hidden = new Set<number>();
  readonly viewers: readonly Viewer[];
  #atSeconds = nowSeconds() - 86_400;
  #mostTop = 0;
  #dump: Map<string, Buffer> | undefined;

  constructor(
    private readonly realm: PresenceRealm,
    private readonly users: readonly number[],
    private readonly processes: readonly PresenceRuntime[],
  ) {
    this.viewers = users.map((userId) => new Viewer(userId));
  }

  async run(next: Step): Promise<void> {
    switch (next.kind) {
      case 'report':
        return this.#report(this.users[next.user] ?? 0, next.isActive, this.#process(next.via));
      case 'hide or show':
        return this.#toggle(this.users[next.user] ?? 0, this.#process(next.via));
      case 'poll':
        return this.#poll(this.viewers[next.user], this.#process(next.via));
      case 'flush':
        return this.#write(new Map());
      case 'dump':
        this.#dump = await this.#read();
        return undefined;
      case 'go back to the dump':
        return this.#dump && this.#write(this.#dump);
    }
  }

  async expectEverybodyToSeeEverything(): Promise<void> {
    await eventually(async () => {
      for (const runtime of this.processes) {
        for (const viewer of this.viewers) await viewer.poll(runtime, this.realm);
      }
      for (const viewer of this.viewers) expect(viewer.picture).toEqual(this.#expected);
    });
  }

  async #report(userId: number, isActive: boolean, runtime: PresenceRuntime): Promise<void> {
    const at = this.#laterSeconds();
    const before = this.#expected.get(userId)?.active_timestamp ?? JOINED_AT;
    const isVisible = !this.#hidden.has(userId);
    const status = isActive ? 'active' : 'idle';
    const different = { status, reportedAt: at, pingOnly: true, isVisible } as const;
    await runtime.service.report(this.realm.request(userId, different));
    if (!isVisible) return;
    const activeAt = isActive ? at : before;
    this.#expected.set(userId, { active_timestamp: activeAt, idle_timestamp: at });
  }

  async #toggle(userId: number, runtime: PresenceRuntime): Promise<void> {
    const at = this.#laterSeconds();
    const isVisible = this.#hidden.delete(userId);
    if (!isVisible) this.#hidden.add(userId);
    await runtime.service.changeVisibility(this.realm.visibility(userId, isVisible, at));
    const before = this.#expected.get(userId)?.active_timestamp ?? JOINED_AT;
    this.#expected.set(
      userId,
      isVisible
        ? { active_timestamp: at, idle_timestamp: at }
        : { active_timestamp: Math.min(before, at - 391), idle_timestamp: at - 320 },
    );
  }

  /** Far enough on for a report to count. */
  #laterSeconds(): number {
    this.#atSeconds += 60;
    return this.#atSeconds;
  }

  async #poll(viewer: Viewer | undefined, runtime: PresenceRuntime): Promise<void> {
    const before = viewer?.cursor ?? 0;
    await viewer?.poll(runtime, this.realm);
    if (!viewer || viewer.cursor === before) return;
    // Only Redis makes ids, so no cursor can be above the highest that it ever had.
    await this.#noteTop();
    expect(viewer.cursor).toBeLessThanOrEqual(this.#mostTop);
  }

  async #noteTop(): Promise<void> {
    const top = await withRedis(testRedisUrl(), (redis) => redis.hget(this.#meta(), 'top'));
    this.#mostTop = Math.max(this.#mostTop, Number(top));
  }

  #process(index: number): PresenceRuntime {
    const runtime = this.processes[index];
    if (!runtime) throw new Error(`There is no process ${index}`);
    return runtime;
  }

  #meta(): string {
    return `presence:v1:{r${this.realm.id}}:meta`;
  }

  #keys(): string[] {
    return ['entries', 'stream', 'meta'].map((part) => `presence:v1:{r${this.realm.id}}:${part}`);
  }

  #read(): Promise<Map<string, Buffer>> {
    return withRedis(testRedisUrl(), async (redis) => {
      const dump = new Map<string, Buffer>();
      for (const key of this.#keys()) {
        const value = await redis.dumpBuffer(key);
        // The type leaves out that a key may be missing.
        if (Buffer.isBuffer(value)) dump.set(key, value);
      }
      return dump;
    });
  }

  async #write(dump: ReadonlyMap<string, Buffer>): Promise<void> {
    const replies = await withRedis(testRedisUrl(), (redis) => {
      const transaction = redis.multi().hget(this.#meta(), 'top').del(this.#keys());
      for (const [key, value] of dump) transaction.restore(key, 0, value);
      return transaction.exec();
    });
    this.#mostTop = Math.max(this.#mostTop, Number(replies?.[0]?.[1]));
  }
}

describe('Presence, whatever happens', () => {
  let stores: TestDatabase;
  let processes: PresenceRuntime[] = [];

  beforeAll(async () => {
    stores = await createTestDatabase();
    const options = {
      redisUrl: testRedisUrl(),
      batchMs: 1,
      flushSeconds: 600,
      limitsAccess: false,
    };
    processes = Array.from(
      { length: PROCESSES },
      () => new PresenceRuntime(stores.database, options),
    );
    await Promise.all(processes.map((runtime) => runtime.start()));
  });

  afterAll(async () => {
    await Promise.all(processes.map((runtime) => runtime.stop()));
    await stores.drop();
  });

  it('skips no change, takes no cursor back and sets none ahead', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        const realm = await PresenceRealm.create(stores.database);
        const history = new History(realm, await realm.addUsers(USERS), processes);
        for (const next of steps) await history.run(next);
        await history.expectEverybodyToSeeEverything();
      }),
      {
        numRuns: 12,
        endOnFailure: true,
        examples: [[BACK_TO_A_TRAILING_MIRROR], [LOST_WHILE_READ]],
      },
    );
  }, 120_000);
});
