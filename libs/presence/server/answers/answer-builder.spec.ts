import { gunzipSync, brotliDecompressSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { successEnvelope } from '#platform/contracts';
import type { PresenceAnswer } from '#presence/rpc';
import { RealmReplica } from '#presence/replica';
import { AnswerBuilder } from './answer-builder.js';
import {
  AnswerWorld,
  NOW_MS,
  parsed,
  people,
  replicaOf,
  seen,
  usersIn,
} from './answer-builder.fixture.js';

/** Runs all pending microtasks. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

const seeing = (userId: number) => ({ visibleUsers: new Set([userId]), substituteHost: null });

describe(AnswerBuilder.name, () => {
  let world: AnswerWorld;

  beforeEach(() => {
    world = new AnswerWorld();
  });

  it('gives the same text to all eligible viewers', async () => {
    const first = await world.answer();
    expect(await world.answer({ userId: 2, lastUpdateId: 0 }, NOW_MS + 999)).toBe(first);
    expect(parsed(first).presence_last_update_id).toBe(world.replica.position);
    expect(world.counters).toMatchObject({ sharedAnswersMade: 1, sharedAnswersReused: 1 });
    expect(world.counters.answers.shared).toBe(2);
  });

  it('builds a small answer for one viewer, without entries below the cursor', async () => {
    const cursor = seen(101).id;
    expect(await usersIn(world.answer({ lastUpdateId: cursor }))).toHaveLength(100);
    expect(await usersIn(world.answer({ lastUpdateId: cursor - 1 }))).toHaveLength(101);
    expect(await usersIn(world.answer({ lastUpdateId: world.replica.position }))).toEqual([]);
    expect(world.counters.answers).toMatchObject({ own: 1, shared: 1, empty: 1 });
  });

  it('builds the answer of a viewer with limits for that viewer', async () => {
    await world.answer();
    expect(await usersIn(world.answer({}, NOW_MS, seeing(7)))).toEqual([7]);
    expect(world.counters.sharedAnswersReused).toBe(0);
  });

  it('shows only hidden users by substitute addresses', async () => {
    const limits = { visibleUsers: new Set([7]), substituteHost: 'host' };
    for (const shown of [null, limits, null]) {
      const { presences } = parsed(await world.answer({ format: 'legacy' }, NOW_MS, shown));
      const emails = people(101).map(({ userId: id }) =>
        shown && id !== 7 ? `user${id}@host` : `u${id}@x`,
      );
      expect(Object.keys(presences).toSorted()).toEqual(emails.toSorted());
    }
    expect(world.counters.answers).toMatchObject({ own: 1, shared: 2 });
  });

  it('gives no viewer an answer below the viewer’s cursor', async () => {
    world.replica = replicaOf(people(101, 1000));
    const checkpoint = world.replica.position - (world.replica.position % 5_000_000);
    await world.answer({ lastUpdateId: checkpoint });
    for (const { userId } of people(102)) world.apply(seen(userId));
    const cursor = world.replica.position - 101;
    expect(parsed(await world.answer({ lastUpdateId: cursor }))).toMatchObject({
      presence_last_update_id: world.replica.position,
    });
    expect(world.counters).toMatchObject({ sharedAnswersMade: 2, sharedAnswersReused: 0 });
  });

  describe('for a viewer whose own report is newer than the shared answer', () => {
    beforeEach(async () => {
      await world.answer();
      world.change(7);
    });

    it('returns the next answer, and the old one to all others', async () => {
      const idleAt = world.replica.position;
      expect(parsed(await world.answer({ userId: 7 })).presences).toMatchObject({
        7: { idle_timestamp: idleAt },
      });
      expect(world.counters.sharedAnswersMade).toBe(2);
      expect(await usersIn(world.answer({ userId: 8 }, world.clockMs))).toHaveLength(101);
      expect(world.counters.sharedAnswersMade).toBe(2);
    });

    it('builds it at least 250 ms after the last one', async () => {
      await world.answer({ userId: 7 }, NOW_MS + 100);
      expect(world.clockMs).toBe(NOW_MS + 250);
    });
  });

  it('builds one answer for all waiting viewers, with their reports and from their lowest cursor', async () => {
    const waiting = world.holdTimers();
    await world.answer();
    world.change(7);
    const cursor = people(101).at(-1)?.id ?? 0;
    const asked = [7, 8, 9].map((userId, index) => {
      world.change(userId);
      const lastUpdateId = cursor - 1 - index * 6_000_000;
      return world.answer({ userId, lastUpdateId }, NOW_MS + 10);
    });
    const full = world.answer({ userId: 7 }, NOW_MS + 10);
    await turn();
    expect(waiting).toHaveLength(1);
    world.clockMs = NOW_MS + 250;
    waiting[0]?.();
    const texts = await Promise.all(asked);
    expect(new Set(texts).size).toBe(1);
    expect(parsed(texts[0] ?? '').presence_last_update_id).toBe(world.replica.position);
    await full;
    expect(world.counters.sharedAnswersMade).toBe(3);
  });

  it('gives no account an earlier state than before', async () => {
    await world.answer({ userId: 8 });
    world.change(7);
    // Small answers are exact.
    const { presence_last_update_id: cursor } = parsed(
      await world.answer({ userId: 8, lastUpdateId: world.replica.position - 1 }),
    );
    expect(parsed(await world.answer({ userId: 8 })).presence_last_update_id).toBe(cursor);
    expect(parsed(await world.answer({ userId: 9 }, NOW_MS)).presence_last_update_id).toBe(cursor);
  });

  it('answers again if the account got a later state during the compression', async () => {
    const earlier = world.answer({ userId: 8, encoding: 'gzip' });
    await turn();
    world.change(7);
    await world.answer({ userId: 8, lastUpdateId: world.replica.position - 1 });
    const later = await earlier;
    const text = typeof later === 'string' ? later : gunzipSync(later.body).toString();
    expect(JSON.parse(text).presence_last_update_id).toBe(world.replica.position);
  });

  it('shows the viewer’s own report before the world.replica has it', async () => {
    const at = NOW_MS / 1000 - 9;
    world.ownEntry = { ...seen(7), activeAt: at, idleAt: at };
    for (const lastUpdateId of [-1, world.replica.position]) {
      const { presences, presence_last_update_id: cursor } = parsed(
        await world.answer({ userId: 7, lastUpdateId }),
      );
      expect(presences).toMatchObject({ 7: { active_timestamp: at, idle_timestamp: at } });
      expect(cursor).toBe(world.replica.position);
    }
    const legacy = parsed(await world.answer({ userId: 7, lastUpdateId: null, format: 'legacy' }));
    expect(legacy.presences).toMatchObject({ 'u7@x': { website: { timestamp: at } } });
  });

  it('shows a new address in the legacy format', async () => {
    const legacy = { format: 'legacy', lastUpdateId: null } as const;
    expect(Object.keys(parsed(await world.answer(legacy)).presences)).toContain('u7@x');
    world.domain = 'y';
    const later = await world.answer(legacy, NOW_MS + 1000);
    expect(Object.keys(parsed(later).presences)).toContain('u7@y');
  });

  it.each([
    ['the address', null, 'u7@x'],
    ['a substitute address', { visibleUsers: new Set([8]), substituteHost: 'host' }, 'user7@host'],
  ])('shows times that change without a new id, under %s', async (_, limits, email) => {
    let idleAt = NOW_MS / 1000;
    world.replica = RealmReplica.complete(
      { epoch: 1, top: seen(7).id, chain: 1 },
      [seen(7)],
      (entry) => ({
        ...entry,
        activeAt: 0,
        idleAt,
      }),
    );
    const presences = async () =>
      parsed(await world.answer({ format: 'legacy' }, NOW_MS, limits)).presences;
    expect(await presences()).toMatchObject({ [email]: { website: { timestamp: idleAt } } });
    idleAt -= 320;
    world.replica.refreshEntry(7);
    expect(await presences()).toMatchObject({ [email]: { website: { timestamp: idleAt } } });
  });

  it('does not share answers of a provisional world.replica, and moves no cursor', async () => {
    world.replica = RealmReplica.provisional(people(101));
    expect(parsed(await world.answer())).toMatchObject({ presence_last_update_id: -1 });
    expect(world.counters.sharedAnswersMade).toBe(0);
  });

  it('does not reuse an answer of another world.replica', async () => {
    await world.answer();
    world.replica = replicaOf(people(150));
    expect(await usersIn(world.answer())).toHaveLength(150);
  });

  it('shows a deactivated user at most for the lifetime of a shared answer', async () => {
    await world.answer();
    world.deactivate(5);
    expect(await usersIn(world.answer({}, NOW_MS + 999))).toContain(5);
    expect(await usersIn(world.answer({}, NOW_MS + 1000))).not.toContain(5);
  });

  it.each([null, -1, 0, 5])('does not move the cursor %s without entries', async (lastUpdateId) => {
    for (const { userId } of people(101)) world.deactivate(userId);
    const empty = { presence_last_update_id: lastUpdateId ?? -1, presences: {} };
    expect(parsed(await world.answer({ lastUpdateId, encoding: 'gzip' }))).toMatchObject(empty);
  });

  it.each([2, 150])(
    'moves no cursor in the legacy format past a user without a known address, among %d users',
    async (count) => {
      world.replica = replicaOf(people(count));
      world.unread = [2];
      const legacy = { format: 'legacy', lastUpdateId: 5 } as const;
      const first = parsed(await world.answer(legacy));
      expect(first.presence_last_update_id).toBe(5);
      expect(Object.keys(first.presences)).toHaveLength(count - 1);
      world.unread = [];
      const second = parsed(await world.answer(legacy, NOW_MS + 1000));
      expect(second.presence_last_update_id).toBe(world.replica.position);
      expect(Object.keys(second.presences)).toContain('u2@x');
    },
  );

  describe('while a user is invisible and Redis does not know it', () => {
    beforeEach(() => {
      const entries = people(3);
      world.replica = RealmReplica.complete(
        { epoch: 1, top: world.replica.position, chain: 1 },
        entries,
        (entry) => (entry.userId === 2 ? { ...entry, activeAt: 1, idleAt: 2 } : entry),
      );
    });

    const hidden = { active_timestamp: 1, idle_timestamp: 2 };

    it('shows it in answers with all users', async () => {
      expect(parsed(await world.answer({ historyLimitDays: 1e9 })).presences).toMatchObject({
        2: hidden,
      });
    });

    it('shows it to viewers with the latest cursor, in both formats', async () => {
      const asked = { lastUpdateId: world.replica.position };
      expect(parsed(await world.answer(asked)).presences).toEqual({ 2: hidden });
      const legacy = parsed(await world.answer({ ...asked, format: 'legacy' }));
      expect(legacy.presences).toMatchObject({ 'u2@x': { website: { timestamp: 1 } } });
    });

    it('does not show it to viewers who may not see the user, or who ask for no days', async () => {
      const asked = { lastUpdateId: world.replica.position };
      expect(await usersIn(world.answer(asked, NOW_MS, seeing(1)))).toEqual([]);
      expect(await usersIn(world.answer({ historyLimitDays: 0 }))).toEqual([]);
    });
  });

  it('visits no users for no days', async () => {
    expect(await usersIn(world.answer({ historyLimitDays: 0 }))).toEqual([]);
    expect(world.counters.sharedAnswersMade).toBe(0);
  });

  it('shares nothing for days of the caller’s choice', async () => {
    const days = [1, 15, 30, 365, 1e9];
    for (const historyLimitDays of days) {
      expect(await usersIn(world.answer({ historyLimitDays }))).not.toEqual([]);
    }
    expect(world.counters.sharedAnswersMade).toBe(0);
    expect(world.counters.answers).toMatchObject({ own: days.length });
    await world.answer({ historyLimitDays: 14 });
    expect(world.counters.sharedAnswersMade).toBe(1);
  });

  it('compresses the whole response once for all viewers', async () => {
    const text = String(await world.answer());
    const [gzip, again, brotli] = await Promise.all([
      world.answer({ encoding: 'gzip' }),
      world.answer({ encoding: 'gzip' }),
      world.answer({ encoding: 'br' }),
    ]);
    expect(again).toBe(gzip);
    const body = (given: PresenceAnswer) => (typeof given === 'string' ? Buffer.of() : given.body);
    expect(gunzipSync(body(gzip)).toString()).toBe(successEnvelope(text));
    expect(brotliDecompressSync(body(brotli)).toString()).toBe(successEnvelope(text));
    expect(world.counters.answers).toMatchObject({ compressed: 3, shared: 1 });
  });

  it.each(['gzip', 'br'] as const)('needs at most 8 bytes per entry in %s', async (encoding) => {
    const entries = people(1000).map((entry) => ({
      ...entry,
      userId: (entry.userId * 617) % 9973,
    }));
    world.replica = replicaOf(entries);
    const given = await world.answer({ encoding });
    expect(typeof given === 'string' ? Infinity : given.body.length / 1000).toBeLessThan(8);
  });
});
