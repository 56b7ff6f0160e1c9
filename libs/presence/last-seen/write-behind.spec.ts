import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { PresenceCounters } from '#presence/metrics';
import type { PresenceEntry } from '#presence/rules';
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

  it('writes only the latest entry of a user, once', async () => {
    sut.add(1, entry(5, 10));
    sut.add(1, entry(5, 12));
    sut.add(1, entry(5, 11));
    await sut.flush();
    await sut.flush();
    expect(storage.batches).toEqual([[12]]);
  });

  it('writes at most 1000 rows at a time', async () => {
    for (let user = 1; user <= 2500; user += 1) sut.add(1, entry(user, user));
    await sut.flush();
    expect(storage.batches.map((batch) => batch.length)).toEqual([1000, 1000, 500]);
  });

  it('keeps entries that could not be written', async () => {
    storage.isAway = true;
    sut.add(1, entry(5, 10));
    await sut.flush();
    expect(sut.dueUsers).toBe(1);
    expect(counters.writeFailures).toBe(1);
    storage.isAway = false;
    await sut.flush();
    expect(storage.batches).toEqual([[10]]);
  });

  it('logs an outage once, and not for each attempt', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    storage.isAway = true;
    sut.add(1, entry(5, 10));
    for (let attempt = 0; attempt < 3; attempt += 1) await sut.flush();
    expect(warn).toHaveBeenCalledTimes(1);
    warn.mockRestore();
  });

  it('writes an entry again that changed during the write', async () => {
    sut.add(1, entry(5, 10));
    storage.whileSaving = () => sut.add(1, entry(5, 11));
    await sut.flush();
    storage.whileSaving = () => undefined;
    await sut.flush();
    expect(storage.batches).toEqual([[10], [11]]);
  });

  it('writes one user before the others on request', async () => {
    sut.add(1, entry(5, 10));
    sut.add(1, entry(6, 11));
    await sut.flushUser(6);
    await sut.flushUser(7);
    expect(storage.batches).toEqual([[11]]);
    expect(sut.dueUsers).toBe(1);
  });

  describe('when a user returns', () => {
    it('writes the user at once, together with other users of the same moment', async () => {
      sut.add(1, entry(5, 10, 1000));
      sut.add(1, entry(6, 11, 1000));
      await Promise.all([sut.whenSaved(5), sut.whenSaved(6)]);
      expect(storage.batches).toEqual([[10, 11]]);
    });

    it('then writes the users who returned during the write, together', async () => {
      storage.whileSaving = () => {
        storage.whileSaving = () => undefined;
        sut.add(1, entry(6, 11, 1000));
        sut.add(1, entry(7, 12, 1000));
      };
      sut.add(1, entry(5, 10, 1000));
      await sut.whenSaved(5);
      await sut.whenSaved(7);
      expect(storage.batches).toEqual([[10], [11, 12]]);
    });

    it('leaves all other users to the period', async () => {
      sut.add(1, entry(5, 10, 1000));
      await sut.whenSaved(5);
      // With a period of a minute, a write is urgent from 80 seconds on.
      sut.add(1, entry(5, 11, 1079));
      sut.add(1, entry(6, 12, 0));
      expect([sut.whenSaved(5), sut.whenSaved(6)]).toEqual([null, null]);
      sut.add(1, entry(5, 13, 1080));
      await sut.whenSaved(5);
      expect(storage.batches).toEqual([[10], [13]]);
      expect(sut.dueUsers).toBe(1);
    });

    it('batches users who return one after another, so that few statements per second are needed', async () => {
      const beganAt = performance.now();
      for (let user = 1; user <= 300; user += 1) {
        sut.add(1, entry(user, user, 1000));
        await new Promise(setImmediate);
      }
      await sut.whenSaved(300);
      const periods = Math.ceil((performance.now() - beganAt) / 50);
      expect(storage.batches.flat()).toHaveLength(300);
      expect(storage.batches.length).toBeLessThanOrEqual(periods + 1);
    });

    it('forgets the users of a forgotten realm', async () => {
      sut.add(1, entry(5, 10, 1000));
      await sut.whenSaved(5);
      sut.forget(2);
      sut.add(1, entry(5, 11, 1000));
      expect(sut.whenSaved(5)).toBeNull();
      sut.forget(1);
      sut.add(1, entry(5, 12, 1000));
      expect(sut.whenSaved(5)).not.toBeNull();
    });

    it('does not write entries urgently that were just read from PostgreSQL', () => {
      sut.seedKnown(1, [entry(5, 10, 1000)]);
      sut.add(1, entry(5, 11, 1079));
      sut.add(1, entry(6, 12, 1000));
      expect([sut.whenSaved(5), sut.whenSaved(6)]).toEqual([null, expect.any(Promise)]);
    });

    it('leaves a failed urgent write to the period', async () => {
      storage.isAway = true;
      sut.add(1, entry(5, 10, 1000));
      await sut.whenSaved(5);
      expect(sut.whenSaved(5)).toBeNull();
      storage.isAway = false;
      await sut.flush();
      expect(storage.batches).toEqual([[10]]);
    });
  });

  it('writes due entries when it stops', async () => {
    sut.start();
    sut.add(1, entry(5, 10));
    await sut.stop();
    expect(storage.batches).toEqual([[10]]);
  });
});
