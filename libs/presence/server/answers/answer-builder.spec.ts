import { gunzipSync, brotliDecompressSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type PresenceAnswer, type PresenceRequest, successEnvelope } from '#platform/contracts';
import { PresenceCounters } from '#presence/metrics';
import { RealmReplica, ServedRevisions } from '#presence/replica';
import type { PresenceEntry } from '#presence/rules';
import type { ViewLimits } from '../access-limits.js';
import { AnswerBuilder } from './answer-builder.js';
import { pollWith } from './poll.fixture.js';

const NOW_MS = 1_800_000_000_000;

/** Runs all pending microtasks. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A user who changed that many milliseconds ago. */
const seen = (userId: number, beforeMs = 0): PresenceEntry => {
  const at = Math.floor((NOW_MS - beforeMs) / 1000);
  return {
    userId,
    activeAt: at,
    idleAt: at,
    joinedAt: 1,
    hiddenAt: 0,
    isDeactivated: false,
    id: (NOW_MS - beforeMs) * 1000 - userId,
  };
};

const people = (count: number, beforeMs = 0): PresenceEntry[] =>
  Array.from({ length: count }, (_, index) => seen(index + 1, beforeMs));

const replicaOf = (entries: readonly PresenceEntry[]): RealmReplica =>
  RealmReplica.complete(
    { epoch: 1, top: Math.max(...entries.map(({ id }) => id)), chain: 1 },
    entries,
  );

describe(AnswerBuilder.name, () => {
  let replica: RealmReplica;
  let unread: number[];
  let domain: string;
  let counters: PresenceCounters;
  let served: ServedRevisions;
  let ownEntry: PresenceEntry | undefined;
  let clockMs: number;
  /** Timers, if the clock is manual. */
  let waiting: (() => void)[] | null;
  let sut: AnswerBuilder;

  beforeEach(() => {
    served = new ServedRevisions();
    ownEntry = undefined;
    waiting = null;
    replica = replicaOf(people(101));
    unread = [];
    domain = 'x';
    counters = new PresenceCounters();
    sut = new AnswerBuilder(
      counters,
      () => clockMs,
      (run, ms) => {
        if (waiting) return waiting.push(run);
        clockMs += ms;
        return run();
      },
    );
  });

  const directory = {
    get: (userId: number) =>
      unread.includes(userId)
        ? undefined
        : { userId, email: `u${userId}@${domain}`, isActive: true },
    isStillToRead: (userId: number) => unread.includes(userId),
  };

  /** Publishes the deactivation of a user. */
  function deactivate(userId: number): void {
    apply({ ...seen(userId), isDeactivated: true });
  }

  /** Applies the next change to the replica. */
  function apply(entry: PresenceEntry): void {
    const [previousId, id] = [replica.position, replica.position + 1];
    replica.apply({ entry: { ...entry, id }, previousId, previousChain: 1, chain: 1 });
  }

  async function answer(
    different: Partial<PresenceRequest> = {},
    nowMs = NOW_MS,
    limits: ViewLimits | null = null,
  ): Promise<PresenceAnswer> {
    clockMs = nowMs;
    const realm = { caughtUpReplica: async () => replica, unappliedChange: () => ownEntry, served };
    return sut.build(pollWith(different), { realm, directory, limits });
  }

  /** Publishes a change of a user now. */
  function change(userId: number): void {
    apply({ ...seen(userId), idleAt: replica.position + 1 });
  }

  const seeing = (userId: number) => ({ visibleUsers: new Set([userId]), substituteHost: null });

  const parsed = (given: PresenceAnswer): { presences: object; presence_last_update_id: number } =>
    JSON.parse(String(given));
  const usersIn = async (given: Promise<PresenceAnswer>): Promise<number[]> =>
    Object.keys(parsed(await given).presences).map(Number);

  it('gives the same text to all eligible viewers', async () => {
    const first = await answer();
    expect(await answer({ userId: 2, lastUpdateId: 0 }, NOW_MS + 999)).toBe(first);
    expect(parsed(first).presence_last_update_id).toBe(replica.position);
    expect(counters).toMatchObject({ sharedBodiesMade: 1, sharedBodiesReused: 1 });
    expect(counters.answers.shared).toBe(2);
  });

  it('builds a small answer for one viewer, without entries below the cursor', async () => {
    const cursor = seen(101).id;
    expect(await usersIn(answer({ lastUpdateId: cursor }))).toHaveLength(100);
    expect(await usersIn(answer({ lastUpdateId: cursor - 1 }))).toHaveLength(101);
    expect(await usersIn(answer({ lastUpdateId: replica.position }))).toEqual([]);
    expect(counters.answers).toMatchObject({ own: 1, shared: 1, empty: 1 });
  });

  it('builds the answer of a viewer with limits for that viewer', async () => {
    await answer();
    expect(await usersIn(answer({}, NOW_MS, seeing(7)))).toEqual([7]);
    expect(counters.sharedBodiesReused).toBe(0);
  });

  it('shows only hidden users by substitute addresses', async () => {
    const limits = { visibleUsers: new Set([7]), substituteHost: 'host' };
    for (const shown of [null, limits, null]) {
      const { presences } = parsed(await answer({ format: 'legacy' }, NOW_MS, shown));
      const emails = people(101).map(({ userId: id }) =>
        shown && id !== 7 ? `user${id}@host` : `u${id}@x`,
      );
      expect(Object.keys(presences).toSorted()).toEqual(emails.toSorted());
    }
    expect(counters.answers).toMatchObject({ own: 1, shared: 2 });
  });

  it('gives no viewer an answer below the viewer’s cursor', async () => {
    replica = replicaOf(people(101, 1000));
    const checkpoint = replica.position - (replica.position % 5_000_000);
    await answer({ lastUpdateId: checkpoint });
    for (const { userId } of people(102)) apply(seen(userId));
    const cursor = replica.position - 101;
    expect(parsed(await answer({ lastUpdateId: cursor }))).toMatchObject({
      presence_last_update_id: replica.position,
    });
    expect(counters).toMatchObject({ sharedBodiesMade: 2, sharedBodiesReused: 0 });
  });

  describe('for a viewer whose own report is newer than the shared answer', () => {
    beforeEach(async () => {
      await answer();
      change(7);
    });

    it('returns the next answer, and the old one to all others', async () => {
      const idleAt = replica.position;
      expect(parsed(await answer({ userId: 7 })).presences).toMatchObject({
        7: { idle_timestamp: idleAt },
      });
      expect(counters.sharedBodiesMade).toBe(2);
      expect(await usersIn(answer({ userId: 8 }, clockMs))).toHaveLength(101);
      expect(counters.sharedBodiesMade).toBe(2);
    });

    it('builds one answer for all waiting viewers, with their reports and from their lowest cursor', async () => {
      waiting = [];
      const cursor = people(101).at(-1)?.id ?? 0;
      const asked = [7, 8, 9].map((userId, index) => {
        change(userId);
        const lastUpdateId = cursor - 1 - index * 6_000_000;
        return answer({ userId, lastUpdateId }, NOW_MS + 10);
      });
      const full = answer({ userId: 7 }, NOW_MS + 10);
      await turn();
      expect(waiting).toHaveLength(1);
      clockMs = NOW_MS + 250;
      waiting[0]?.();
      const texts = await Promise.all(asked);
      expect(new Set(texts).size).toBe(1);
      expect(parsed(texts[0] ?? '').presence_last_update_id).toBe(replica.position);
      await full;
      expect(counters.sharedBodiesMade).toBe(3);
    });

    it('builds it at least 250 ms after the last one', async () => {
      await answer({ userId: 7 }, NOW_MS + 100);
      expect(clockMs).toBe(NOW_MS + 250);
    });
  });

  it('gives no account an earlier state than before', async () => {
    await answer({ userId: 8 });
    change(7);
    // Small answers are exact.
    const { presence_last_update_id: cursor } = parsed(
      await answer({ userId: 8, lastUpdateId: replica.position - 1 }),
    );
    expect(parsed(await answer({ userId: 8 })).presence_last_update_id).toBe(cursor);
    expect(parsed(await answer({ userId: 9 }, NOW_MS)).presence_last_update_id).toBe(cursor);
  });

  it('answers again if the account got a later state during the compression', async () => {
    const earlier = answer({ userId: 8, encoding: 'gzip' });
    await turn();
    change(7);
    await answer({ userId: 8, lastUpdateId: replica.position - 1 });
    const later = await earlier;
    const text = typeof later === 'string' ? later : gunzipSync(later.body).toString();
    expect(JSON.parse(text).presence_last_update_id).toBe(replica.position);
  });

  it('shows the viewer’s own report before the replica has it', async () => {
    const at = NOW_MS / 1000 - 9;
    ownEntry = { ...seen(7), activeAt: at, idleAt: at };
    for (const lastUpdateId of [-1, replica.position]) {
      const { presences, presence_last_update_id: cursor } = parsed(
        await answer({ userId: 7, lastUpdateId }),
      );
      expect(presences).toMatchObject({ 7: { active_timestamp: at, idle_timestamp: at } });
      expect(cursor).toBe(replica.position);
    }
    const legacy = parsed(await answer({ userId: 7, lastUpdateId: null, format: 'legacy' }));
    expect(legacy.presences).toMatchObject({ 'u7@x': { website: { timestamp: at } } });
  });

  it('shows a new address in the legacy format', async () => {
    const legacy = { format: 'legacy', lastUpdateId: null } as const;
    expect(Object.keys(parsed(await answer(legacy)).presences)).toContain('u7@x');
    domain = 'y';
    const later = await answer(legacy, NOW_MS + 1000);
    expect(Object.keys(parsed(later).presences)).toContain('u7@y');
  });

  it('does not share answers of a provisional replica, and moves no cursor', async () => {
    replica = RealmReplica.provisional(people(101));
    expect(parsed(await answer())).toMatchObject({ presence_last_update_id: -1 });
    expect(counters.sharedBodiesMade).toBe(0);
  });

  it('does not reuse an answer of another replica', async () => {
    await answer();
    replica = replicaOf(people(150));
    expect(await usersIn(answer())).toHaveLength(150);
  });

  it('shows a deactivated user at most for the lifetime of a shared answer', async () => {
    await answer();
    deactivate(5);
    expect(await usersIn(answer({}, NOW_MS + 999))).toContain(5);
    expect(await usersIn(answer({}, NOW_MS + 1000))).not.toContain(5);
  });

  it.each([null, -1, 0, 5])('does not move the cursor %s without entries', async (lastUpdateId) => {
    for (const { userId } of people(101)) deactivate(userId);
    const empty = { presence_last_update_id: lastUpdateId ?? -1, presences: {} };
    expect(parsed(await answer({ lastUpdateId, encoding: 'gzip' }))).toMatchObject(empty);
  });

  it.each([2, 150])(
    'moves no cursor in the legacy format past a user without a known address, among %d users',
    async (count) => {
      replica = replicaOf(people(count));
      unread = [2];
      const legacy = { format: 'legacy', lastUpdateId: 5 } as const;
      const first = parsed(await answer(legacy));
      expect(first.presence_last_update_id).toBe(5);
      expect(Object.keys(first.presences)).toHaveLength(count - 1);
      unread = [];
      const second = parsed(await answer(legacy, NOW_MS + 1000));
      expect(second.presence_last_update_id).toBe(replica.position);
      expect(Object.keys(second.presences)).toContain('u2@x');
    },
  );

  describe('while a user is invisible and Redis does not know it', () => {
    beforeEach(() => {
      const entries = people(3);
      replica = RealmReplica.complete(
        { epoch: 1, top: replica.position, chain: 1 },
        entries,
        (entry) => (entry.userId === 2 ? { ...entry, activeAt: 1, idleAt: 2 } : entry),
      );
    });

    const hidden = { active_timestamp: 1, idle_timestamp: 2 };

    it('shows it in answers with all users', async () => {
      expect(parsed(await answer({ historyLimitDays: 1e9 })).presences).toMatchObject({
        2: hidden,
      });
    });

    it('shows it to viewers with the latest cursor, in both formats', async () => {
      const asked = { lastUpdateId: replica.position };
      expect(parsed(await answer(asked)).presences).toEqual({ 2: hidden });
      const legacy = parsed(await answer({ ...asked, format: 'legacy' }));
      expect(legacy.presences).toMatchObject({ 'u2@x': { website: { timestamp: 1 } } });
    });

    it('does not show it to viewers who may not see the user, or who ask for no days', async () => {
      const asked = { lastUpdateId: replica.position };
      expect(await usersIn(answer(asked, NOW_MS, seeing(1)))).toEqual([]);
      expect(await usersIn(answer({ historyLimitDays: 0 }))).toEqual([]);
    });
  });

  it('visits no users for no days', async () => {
    expect(await usersIn(answer({ historyLimitDays: 0 }))).toEqual([]);
    expect(counters.sharedBodiesMade).toBe(0);
  });

  it('compresses the whole response once for all viewers', async () => {
    const text = String(await answer());
    const [gzip, again, brotli] = await Promise.all([
      answer({ encoding: 'gzip' }),
      answer({ encoding: 'gzip' }),
      answer({ encoding: 'br' }),
    ]);
    expect(again).toBe(gzip);
    const body = (given: PresenceAnswer) => (typeof given === 'string' ? Buffer.of() : given.body);
    expect(gunzipSync(body(gzip)).toString()).toBe(successEnvelope(text));
    expect(brotliDecompressSync(body(brotli)).toString()).toBe(successEnvelope(text));
    expect(counters.answers).toMatchObject({ compressed: 3, shared: 1 });
  });

  it.each(['gzip', 'br'] as const)('needs at most 8 bytes per entry in %s', async (encoding) => {
    const entries = people(1000).map((entry) => ({
      ...entry,
      userId: (entry.userId * 617) % 9973,
    }));
    replica = replicaOf(entries);
    const given = await answer({ encoding });
    expect(typeof given === 'string' ? Infinity : given.body.length / 1000).toBeLessThan(8);
  });
});
