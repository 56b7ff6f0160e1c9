import { beforeEach, describe, expect, it } from '@jest/globals';
import { UserDirectory, type UserSource } from './user-directory.js';
import type { KnownUser } from './user-directory.repository.js';

const user = (userId: number, isActive = true): KnownUser => {
  return { userId, email: `u${userId}@x`, isActive };
};

class FakeSource implements UserSource {
  users: KnownUser[] = [];
  readonly askedSinceMs: number[] = [];
  isAway = false;

  async loadChanged(_realmId: number, sinceMs: number): Promise<KnownUser[]> {
    this.askedSinceMs.push(sinceMs);
    if (this.isAway) throw new Error('away');
    return this.users;
  }
}

describe(UserDirectory.name, () => {
  const startMs = 1_000_000;
  let nowMs: number;
  let source: FakeSource;
  let taken: number[];
  let sut: UserDirectory;

  beforeEach(() => {
    nowMs = startMs;
    source = new FakeSource();
    source.users = [user(1), user(2, false)];
    taken = [];
    sut = new UserDirectory(
      7,
      source,
      () => nowMs,
      async ({ deactivated }) => {
        taken = [...deactivated];
      },
    );
  });

  /** A poll long enough after the last that the directory is read again, and that reading done. */
  async function pollLater(): Promise<void> {
    nowMs += 3000;
    await sut.ready(1);
    await sut.ready(99);
  }

  it('reads once however many ask', async () => {
    await Promise.all([sut.ready(1), sut.ready(1), sut.ready(2)]);
    expect(source.askedSinceMs).toEqual([0]);
    expect(sut.get(1)?.email).toBe('u1@x');
  });

  it('is ready when what it has read has been taken', async () => {
    await sut.ready(1);
    expect(taken).toEqual([2]);
  });

  it('may still get to know who changed after it was read, give or take half a minute', async () => {
    await sut.ready(1);
    const changedAt = (beforeMs: number) => (startMs - beforeMs) * 1000;
    expect(sut.isStillToRead(3, changedAt(29_999))).toBe(true);
    expect(sut.isStillToRead(3, changedAt(30_000))).toBe(false);
    expect(sut.isStillToRead(1, changedAt(0))).toBe(false);
  });

  it('reads everyone again when the clock has stepped back', async () => {
    await sut.ready(1);
    nowMs -= 600_000;
    await sut.ready(1);
    await sut.ready(99);
    await pollLater();
    expect(source.askedSinceMs).toEqual([0, 0, nowMs - 3000 - 30_000]);
  });

  it('does not read again within three seconds', async () => {
    await sut.ready(1);
    nowMs += 2999;
    await sut.ready(1);
    expect(source.askedSinceMs).toHaveLength(1);
  });

  it('reads what changed since shortly before the last reading', async () => {
    await sut.ready(1);
    nowMs += 3000;
    await sut.ready(1);
    expect(source.askedSinceMs).toEqual([0, startMs - 30_000]);
  });

  it('reads everyone again after five minutes', async () => {
    await sut.ready(1);
    nowMs += 300_000;
    await sut.ready(1);
    expect(source.askedSinceMs).toEqual([0, 0]);
  });

  it('waits for a reading when the asker is new', async () => {
    await sut.ready(1);
    source.users = [user(3)];
    await sut.ready(3);
    expect(sut.get(3)).toEqual(user(3));
  });

  it('knows of who is back', async () => {
    await sut.ready(1);
    source.users = [user(2), user(4)];
    await pollLater();
    expect(taken).toEqual([]);
  });

  it('stays as it is while PostgreSQL is away, and tries again', async () => {
    await sut.ready(1);
    source.isAway = true;
    await pollLater();
    expect([...sut.deactivated]).toEqual([2]);
    source.isAway = false;
    source.users = [user(2)];
    await pollLater();
    expect([...sut.deactivated]).toEqual([]);
  });
});
