import { beforeEach, describe, expect, it } from '@jest/globals';
import { type EventRepository, LogRestorations } from '#events/log';
import { SharedText } from '#platform/http';
import type { Session } from '#platform/database';
import { SharedStates } from './shared-states.js';

const large = 'x'.repeat(70_000);
const changedBy = ['realm_user'];
// The fake of the log does not use it.
const session = {} as Session;
const at = (position: number, realmId = 1, storedAt: Date | null = null) => ({
  realmId,
  session,
  head: { position, storedAt },
});

let sut: SharedStates;
let reads: number;
let restorations: LogRestorations;
/** The positions of the events of the types. */
let changes: number[];

beforeEach(() => {
  reads = 0;
  changes = [];
  // The fake has the method that is called.
  const log = {
    hasEventsOf: (
      _session: Session,
      _realmId: number,
      _types: readonly string[],
      { position, upTo }: { readonly position: number; readonly upTo: number },
    ) => Promise.resolve(changes.some((change) => change > position && change <= upTo)),
  };
  restorations = new LogRestorations();
  sut = new SharedStates(log as unknown as EventRepository, restorations);
});

const members = (value = large, key = 'accounts') => ({
  key,
  changedBy,
  read: () => {
    reads += 1;
    return Promise.resolve({ value, reads });
  },
});

const readAt = async (position: number, realmId = 1) => {
  const found = await sut.of(at(position, realmId), members());
  if (!(found instanceof SharedText)) throw new Error('It is not shared');
  return found.members()['reads'];
};

describe(SharedStates.name, () => {
  it('reads members once while no event changes them', async () => {
    expect(await readAt(10)).toBe(1);
    expect(await readAt(10)).toBe(1);
    expect(await readAt(500)).toBe(1);
  });

  it('reads them again after an event that changes them', async () => {
    await readAt(10);
    changes = [12];
    expect(await readAt(11)).toBe(1);
    expect(await readAt(12)).toBe(2);
    expect(await readAt(13)).toBe(2);
  });

  it('reads them for an older snapshot, which cannot see the changes since, and keeps the newer ones', async () => {
    await readAt(10);
    changes = [10];
    expect(await readAt(9)).toBe(2);
    expect(await readAt(10)).toBe(1);
  });

  it('reads once for registrations of the same moment', async () => {
    expect(await Promise.all([readAt(10), readAt(10), readAt(11)])).toEqual([1, 1, 1]);
  });

  it('reads again for the others if a read fails', async () => {
    const failing = { ...members(), read: () => Promise.reject(new Error('down')) };
    const failure = sut.of(at(10), failing);
    const next = readAt(10);
    await expect(failure).rejects.toThrow('down');
    expect(await next).toBe(1);
  });

  it('separates organisations and forms', async () => {
    await readAt(10);
    expect(await readAt(10, 2)).toBe(2);
    await sut.of(at(10), members(large, 'groups'));
    expect(reads).toBe(3);
  });

  it('does not keep small members', async () => {
    expect(await sut.of(at(10), members('small'))).toEqual({ value: 'small', reads: 1 });
    expect(await sut.of(at(10), members('small'))).toEqual({ value: 'small', reads: 2 });
  });

  it('keeps small members that are costly to read', async () => {
    const costly = { ...members('small'), isCostly: true } as const;
    for (const position of [10, 11]) {
      const found = await sut.of(at(position), costly);
      if (!(found instanceof SharedText)) throw new Error('It is not shared');
      expect(found.members()).toEqual({ value: 'small', reads: 1 });
    }
    // So many events take longer to search.
    await sut.of(at(1012), costly);
    expect(reads).toBe(2);
  });

  it('reads them again if another event is in the place of the newest one of the snapshot', async () => {
    const [before, after] = [new Date(1), new Date(2)];
    await sut.of(at(10, 1, before), members());
    await sut.of(at(10, 1, before), members());
    expect(reads).toBe(1);
    await sut.of(at(10, 1, after), members());
    expect(reads).toBe(2);
  });

  it('forgets the states after a restoration: they may be of a later time', async () => {
    await sut.of(at(7), members());
    restorations.notifyRestored(1);
    await sut.of(at(9), members());
    expect(reads).toBe(2);
  });
});
