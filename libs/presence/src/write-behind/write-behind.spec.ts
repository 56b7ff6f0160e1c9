import { beforeEach, describe, expect, it } from '@jest/globals';
import { PresenceCounters } from '../presence-counters.js';
import type { PresenceEntry } from '../state/presence-entry.js';
import type { LastSeen } from './user-presence.repository.js';
import { type LastSeenStorage, WriteBehind } from './write-behind.js';

const entry = (userId: number, id: number, activeAt = 1): PresenceEntry => {
  return { userId, activeAt, idleAt: activeAt, joinedAt: 1, hiddenAt: 0, isDeactivated: false, id };
};

class RecordingStorage implements LastSeenStorage {
  readonly batches: number[][] = [];
  isAway = false;
  whileSaving: () => void = () => undefined;

  async save(seen: readonly LastSeen[]): Promise<void> {
    this.whileSaving();
    if (this.isAway) throw new Error('away');
    this.batches.push(seen.map((one) => one.entry.id));
  }
}

describe(WriteBehind.name, () => {
  let storage: RecordingStorage;
  let counters: PresenceCounters;
  let sut: WriteBehind;

  beforeEach(() => {
    storage = new RecordingStorage();
    counters = new PresenceCounters();
    sut = new WriteBehind(storage, 60_000, counters);
  });

  it('writes only the latest of a user, once', async () => {
    sut.note(1, entry(5, 10));
    sut.note(1, entry(5, 12));
    sut.note(1, entry(5, 11));
    await sut.flush();
    await sut.flush();
    expect(storage.batches).toEqual([[12]]);
  });

  it('writes at most 1000 rows at a time', async () => {
    for (let user = 1; user <= 2500; user += 1) sut.note(1, entry(user, user));
    await sut.flush();
    expect(storage.batches.map((batch) => batch.length)).toEqual([1000, 1000, 500]);
  });

  it('keeps what could not be written', async () => {
    storage.isAway = true;
    sut.note(1, entry(5, 10));
    await sut.flush();
    expect(sut.dueUsers).toBe(1);
    expect(counters.writeFailures).toBe(1);
    storage.isAway = false;
    await sut.flush();
    expect(storage.batches).toEqual([[10]]);
  });

  it('writes again what changed while it was being written', async () => {
    sut.note(1, entry(5, 10));
    storage.whileSaving = () => sut.note(1, entry(5, 11));
    await sut.flush();
    storage.whileSaving = () => undefined;
    await sut.flush();
    expect(storage.batches).toEqual([[10], [11]]);
  });

  it('writes one user before the others when asked', async () => {
    sut.note(1, entry(5, 10));
    sut.note(1, entry(6, 11));
    await sut.flushUser(6);
    await sut.flushUser(7);
    expect(storage.batches).toEqual([[11]]);
    expect(sut.dueUsers).toBe(1);
  });

  describe('when somebody comes back', () => {
    it('writes it at once, those of the same moment together', async () => {
      sut.note(1, entry(5, 10, 1000));
      sut.note(1, entry(6, 11, 1000));
      await Promise.all([sut.whenKnown(5), sut.whenKnown(6)]);
      expect(storage.batches).toEqual([[10, 11]]);
    });

    it('writes those who come meanwhile together after that', async () => {
      storage.whileSaving = () => {
        storage.whileSaving = () => undefined;
        sut.note(1, entry(6, 11, 1000));
        sut.note(1, entry(7, 12, 1000));
      };
      sut.note(1, entry(5, 10, 1000));
      await sut.whenKnown(5);
      await sut.whenKnown(7);
      expect(storage.batches).toEqual([[10], [11, 12]]);
    });

    it('leaves the others, and those who stay, to their period', async () => {
      sut.note(1, entry(5, 10, 1000));
      await sut.whenKnown(5);
      // With a period of a minute that is news from 80 seconds on.
      sut.note(1, entry(5, 11, 1079));
      sut.note(1, entry(6, 12, 0));
      expect([sut.whenKnown(5), sut.whenKnown(6)]).toEqual([null, null]);
      sut.note(1, entry(5, 13, 1080));
      await sut.whenKnown(5);
      expect(storage.batches).toEqual([[10], [13]]);
      expect(sut.dueUsers).toBe(1);
    });

    it('writes those who trickle in together, so that the statements of a second are few', async () => {
      const beganAt = performance.now();
      for (let user = 1; user <= 300; user += 1) {
        sut.note(1, entry(user, user, 1000));
        await new Promise(setImmediate);
      }
      await sut.whenKnown(300);
      const periods = Math.ceil((performance.now() - beganAt) / 50);
      expect(storage.batches.flat()).toHaveLength(300);
      expect(storage.batches.length).toBeLessThanOrEqual(periods + 1);
    });

    it('knows of nobody any more whose realm was forgotten', async () => {
      sut.note(1, entry(5, 10, 1000));
      await sut.whenKnown(5);
      sut.forget(2);
      sut.note(1, entry(5, 11, 1000));
      expect(sut.whenKnown(5)).toBeNull();
      sut.forget(1);
      sut.note(1, entry(5, 12, 1000));
      expect(sut.whenKnown(5)).not.toBeNull();
    });

    it('takes what PostgreSQL was read to know for no news', () => {
      sut.learn(1, [entry(5, 10, 1000)]);
      sut.note(1, entry(5, 11, 1079));
      sut.note(1, entry(6, 12, 1000));
      expect([sut.whenKnown(5), sut.whenKnown(6)]).toEqual([null, expect.any(Promise)]);
    });

    it('leaves it to the period where it cannot be written', async () => {
      storage.isAway = true;
      sut.note(1, entry(5, 10, 1000));
      await sut.whenKnown(5);
      expect(sut.whenKnown(5)).toBeNull();
      storage.isAway = false;
      await sut.flush();
      expect(storage.batches).toEqual([[10]]);
    });
  });

  it('writes what is due when it stops', async () => {
    sut.start();
    sut.note(1, entry(5, 10));
    await sut.stop();
    expect(storage.batches).toEqual([[10]]);
  });
});
