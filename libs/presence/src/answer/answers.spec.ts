import { gunzipSync, brotliDecompressSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type PresenceAnswer, type PresenceRequest, successEnvelope } from '#contracts';
import { Mirror } from '../mirror/mirror.js';
import { PresenceCounters } from '../presence-counters.js';
import type { PresenceEntry } from '../state/presence-entry.js';
import { Answers } from './answers.js';
import { ServedRevisions } from './served-revisions.js';
import { pollWith } from './poll.fixture.js';

const NOW_MS = 1_800_000_000_000;

/** Lets everything happen that waits for nothing. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A user who changed as many milliseconds before now. */
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

const mirrorOf = (entries: readonly PresenceEntry[]): Mirror =>
  Mirror.proven(1, Math.max(...entries.map(({ id }) => id)), entries);

describe(Answers.name, () => {
  let mirror: Mirror;
  let unread: number[];
  let domain: string;
  let counters: PresenceCounters;
  let served: ServedRevisions;
  let ownEntry: PresenceEntry | undefined;
  let clockMs: number;
  /** What waits for its time, when the time does not pass by itself. */
  let waiting: (() => void)[] | null;
  let sut: Answers;

  beforeEach(() => {
    served = new ServedRevisions();
    ownEntry = undefined;
    waiting = null;
    mirror = mirrorOf(people(101));
    unread = [];
    domain = 'x';
    counters = new PresenceCounters();
    sut = new Answers(
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

  /** Publishes of somebody that they are deactivated. */
  function deactivate(userId: number): void {
    const [previousId, id] = [mirror.position, mirror.position + 1];
    mirror.apply({ entry: { ...seen(userId), isDeactivated: true, id }, previousId, epoch: 1 });
  }

  function ask(
    different: Partial<PresenceRequest>,
    nowMs: number,
    seenUsers: ReadonlySet<number> | null,
  ): Promise<PresenceAnswer> {
    clockMs = nowMs;
    const realm = { current: async () => mirror, acceptedAhead: () => ownEntry, served };
    return sut.answer(pollWith(different), { realm, directory, seenUsers });
  }

  /** Publishes a change of somebody now. */
  function change(userId: number): void {
    const [previousId, id] = [mirror.position, mirror.position + 1];
    mirror.apply({ entry: { ...seen(userId), idleAt: id, id }, previousId, epoch: 1 });
  }

  const answer = (
    different: Partial<PresenceRequest> = {},
    nowMs = NOW_MS,
    seenUsers: ReadonlySet<number> | null = null,
  ): Promise<PresenceAnswer> => ask(different, nowMs, seenUsers);

  const told = (given: PresenceAnswer): { presences: object; presence_last_update_id: number } =>
    JSON.parse(String(given));
  const usersIn = async (given: Promise<PresenceAnswer>): Promise<number[]> =>
    Object.keys(told(await given).presences).map(Number);

  it('gives the same text to all who may have it', async () => {
    const first = await answer();
    expect(await answer({ userId: 2, lastUpdateId: 0 }, NOW_MS + 999)).toBe(first);
    expect(told(first).presence_last_update_id).toBe(mirror.position);
    expect(counters).toMatchObject({ sharedBodiesMade: 1, sharedBodiesReused: 1 });
    expect(counters.answers.shared).toBe(2);
  });

  it('makes a small answer for the viewer alone, and nothing above their cursor twice', async () => {
    const cursor = seen(101).id;
    expect(await usersIn(answer({ lastUpdateId: cursor }))).toHaveLength(100);
    expect(await usersIn(answer({ lastUpdateId: cursor - 1 }))).toHaveLength(101);
    expect(await usersIn(answer({ lastUpdateId: mirror.position }))).toEqual([]);
    expect(counters.answers).toMatchObject({ own: 1, shared: 1, empty: 1 });
  });

  it('makes the answer of a viewer with limits for them alone', async () => {
    await answer();
    expect(await usersIn(answer({}, NOW_MS, new Set([7])))).toEqual([7]);
    expect(counters.sharedBodiesReused).toBe(0);
  });

  it('gives nobody a body that is behind their cursor', async () => {
    mirror = mirrorOf(people(101, 1000));
    const checkpoint = mirror.position - (mirror.position % 5_000_000);
    await answer({ lastUpdateId: checkpoint });
    for (const { userId } of people(102)) {
      const [previousId, id] = [mirror.position, mirror.position + 1];
      mirror.apply({ entry: { ...seen(userId), id }, previousId, epoch: 1 });
    }
    const cursor = mirror.position - 101;
    expect(told(await answer({ lastUpdateId: cursor }))).toMatchObject({
      presence_last_update_id: mirror.position,
    });
    expect(counters).toMatchObject({ sharedBodiesMade: 2, sharedBodiesReused: 0 });
  });

  describe('to a viewer whose own report is newer than the body', () => {
    beforeEach(async () => {
      await answer();
      change(7);
    });

    it('gives the next one, and the old one to all others', async () => {
      const idleAt = mirror.position;
      expect(told(await answer({ userId: 7 })).presences).toMatchObject({
        7: { idle_timestamp: idleAt },
      });
      expect(counters.sharedBodiesMade).toBe(2);
      expect(await usersIn(answer({ userId: 8 }, clockMs))).toHaveLength(101);
      expect(counters.sharedBodiesMade).toBe(2);
    });

    it('makes one for all who wait, with their reports and from the lowest of their cursors', async () => {
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
      expect(told(texts[0] ?? '').presence_last_update_id).toBe(mirror.position);
      await full;
      expect(counters.sharedBodiesMade).toBe(3);
    });

    it('gives it no earlier than a quarter of a second after the last one', async () => {
      await answer({ userId: 7 }, NOW_MS + 100);
      expect(clockMs).toBe(NOW_MS + 250);
    });
  });

  it('gives no account an earlier state than it was told from before', async () => {
    await answer({ userId: 8 });
    change(7);
    // So little is told exactly.
    const { presence_last_update_id: cursor } = told(
      await answer({ userId: 8, lastUpdateId: mirror.position - 1 }),
    );
    expect(told(await answer({ userId: 8 })).presence_last_update_id).toBe(cursor);
    expect(told(await answer({ userId: 9 }, NOW_MS)).presence_last_update_id).toBe(cursor);
  });

  it('answers anew where the account was told a later state while a body was compressed', async () => {
    const earlier = answer({ userId: 8, encoding: 'gzip' });
    await turn();
    change(7);
    await answer({ userId: 8, lastUpdateId: mirror.position - 1 });
    const later = await earlier;
    const text = typeof later === 'string' ? later : gunzipSync(later.body).toString();
    expect(JSON.parse(text).presence_last_update_id).toBe(mirror.position);
  });

  it('tells what the viewer has reported where the mirror does not have it yet', async () => {
    const at = NOW_MS / 1000 - 9;
    ownEntry = { ...seen(7), activeAt: at, idleAt: at };
    for (const lastUpdateId of [-1, mirror.position]) {
      const { presences, presence_last_update_id: cursor } = told(
        await answer({ userId: 7, lastUpdateId }),
      );
      expect(presences).toMatchObject({ 7: { active_timestamp: at, idle_timestamp: at } });
      expect(cursor).toBe(mirror.position);
    }
    const legacy = told(await answer({ userId: 7, lastUpdateId: null, format: 'legacy' }));
    expect(legacy.presences).toMatchObject({ 'u7@x': { website: { timestamp: at } } });
  });

  it('tells of a new address in the legacy format', async () => {
    const legacy = { format: 'legacy', lastUpdateId: null } as const;
    expect(Object.keys(told(await answer(legacy)).presences)).toContain('u7@x');
    domain = 'y';
    const later = await answer(legacy, NOW_MS + 1000);
    expect(Object.keys(told(later).presences)).toContain('u7@y');
  });

  it('shares nothing of a makeshift mirror, and moves no cursor by it', async () => {
    mirror = Mirror.unproven(people(101));
    expect(told(await answer())).toMatchObject({ presence_last_update_id: -1 });
    expect(counters.sharedBodiesMade).toBe(0);
  });

  it('gives nobody what another mirror said', async () => {
    await answer();
    mirror = mirrorOf(people(150));
    expect(await usersIn(answer())).toHaveLength(150);
  });

  it('shows who is deactivated no longer than a body is shared', async () => {
    await answer();
    deactivate(5);
    expect(await usersIn(answer({}, NOW_MS + 999))).toContain(5);
    expect(await usersIn(answer({}, NOW_MS + 1000))).not.toContain(5);
  });

  it.each([null, -1, 0, 5])('moves the cursor %s by nobody who is shown', async (lastUpdateId) => {
    for (const { userId } of people(101)) deactivate(userId);
    const empty = { presence_last_update_id: lastUpdateId ?? -1, presences: {} };
    expect(told(await answer({ lastUpdateId, encoding: 'gzip' }))).toMatchObject(empty);
  });

  it.each([2, 150])(
    'moves no cursor of the legacy format past who has no known address yet, of %d people',
    async (count) => {
      mirror = mirrorOf(people(count));
      unread = [2];
      const legacy = { format: 'legacy', lastUpdateId: 5 } as const;
      const first = told(await answer(legacy));
      expect(first.presence_last_update_id).toBe(5);
      expect(Object.keys(first.presences)).toHaveLength(count - 1);
      unread = [];
      const second = told(await answer(legacy, NOW_MS + 1000));
      expect(second.presence_last_update_id).toBe(mirror.position);
      expect(Object.keys(second.presences)).toContain('u2@x');
    },
  );

  describe('while somebody is hidden of whom Redis has not been told', () => {
    beforeEach(() => {
      const entries = people(3);
      mirror = Mirror.proven(1, mirror.position, entries, (entry) =>
        entry.userId === 2 ? { ...entry, activeAt: 1, idleAt: 2 } : entry,
      );
    });

    const hidden = { active_timestamp: 1, idle_timestamp: 2 };

    it('says so to who asks for everybody', async () => {
      expect(told(await answer({ historyLimitDays: 1e9 })).presences).toMatchObject({ 2: hidden });
    });

    it('says so to who has been told of all changes, in either format', async () => {
      const asked = { lastUpdateId: mirror.position };
      expect(told(await answer(asked)).presences).toEqual({ 2: hidden });
      const legacy = told(await answer({ ...asked, format: 'legacy' }));
      expect(legacy.presences).toMatchObject({ 'u2@x': { website: { timestamp: 1 } } });
    });

    it('says nothing to who may not see them, or asks for nobody', async () => {
      const asked = { lastUpdateId: mirror.position };
      expect(await usersIn(answer(asked, NOW_MS, new Set([1])))).toEqual([]);
      expect(await usersIn(answer({ historyLimitDays: 0 }))).toEqual([]);
    });
  });

  it('looks at nobody for no days', async () => {
    expect(await usersIn(answer({ historyLimitDays: 0 }))).toEqual([]);
    expect(counters.sharedBodiesMade).toBe(0);
  });

  it('compresses the whole response, once for all who take it so', async () => {
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

  it.each(['gzip', 'br'] as const)('takes 8 bytes for an entry at most in %s', async (encoding) => {
    const entries = people(1000).map((entry) => ({
      ...entry,
      userId: (entry.userId * 617) % 9973,
    }));
    mirror = mirrorOf(entries);
    const given = await answer({ encoding });
    expect(typeof given === 'string' ? Infinity : given.body.length / 1000).toBeLessThan(8);
  });
});
