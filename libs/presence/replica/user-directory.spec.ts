import { beforeEach, describe, expect, it } from '@jest/globals';
import { defectCounts } from '#platform/core';
import { UserDirectory, type UserSource } from './user-directory.js';
import type { DirectoryUser } from './user-directory.repository.js';

const user = (userId: number, isActive = true): DirectoryUser => {
  return { userId, email: `u${userId}@x`, isActive };
};

class FakeSource implements UserSource {
  users: DirectoryUser[] = [];
  readonly askedAgesMs: (number | null)[] = [];
  isAway = false;
  failure: Error | undefined;

  async loadChanged(_realmId: number, ageMs: number | null): Promise<DirectoryUser[]> {
    this.askedAgesMs.push(ageMs);
    if (this.failure) throw this.failure;
    if (this.isAway) throw new Error('Connection terminated');
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

  /** A poll after which the directory is read again; resolves after the read. */
  async function pollLater(): Promise<void> {
    nowMs += 3000;
    await sut.ready(1);
    await sut.ready(99);
  }

  it('reads once for any number of callers', async () => {
    await Promise.all([sut.ready(1), sut.ready(1), sut.ready(2)]);
    expect(source.askedAgesMs).toEqual([null]);
    expect(sut.get(1)?.email).toBe('u1@x');
  });

  it('is ready after the callback has taken the users', async () => {
    await sut.ready(1);
    expect(taken).toEqual([2]);
  });

  it('may still lack users who changed after the read, or up to 30 s before it', async () => {
    await sut.ready(1);
    const changedAt = (beforeMs: number) => (startMs - beforeMs) * 1000;
    expect(sut.isStillToRead(3, changedAt(29_999))).toBe(true);
    expect(sut.isStillToRead(3, changedAt(30_000))).toBe(false);
    expect(sut.isStillToRead(1, changedAt(0))).toBe(false);
  });

  it('reads all users again when the clock has stepped back', async () => {
    await sut.ready(1);
    nowMs -= 600_000;
    await sut.ready(1);
    await sut.ready(99);
    await pollLater();
    expect(source.askedAgesMs).toEqual([null, null, 33_000]);
  });

  it('does not read again within three seconds', async () => {
    await sut.ready(1);
    nowMs += 2999;
    await sut.ready(1);
    expect(source.askedAgesMs).toHaveLength(1);
  });

  it('reads the changes since thirty seconds before the last read', async () => {
    await sut.ready(1);
    nowMs += 3000;
    await sut.ready(1);
    expect(source.askedAgesMs).toEqual([null, 33_000]);
  });

  it('reads all users again after five minutes', async () => {
    await sut.ready(1);
    nowMs += 300_000;
    await sut.ready(1);
    expect(source.askedAgesMs).toEqual([null, null]);
  });

  it('waits for a read if the viewer is unknown', async () => {
    await sut.ready(1);
    source.users = [user(3)];
    await sut.ready(3);
    expect(sut.get(3)).toEqual(user(3));
  });

  it('recognises reactivated users', async () => {
    await sut.ready(1);
    source.users = [user(2), user(4)];
    await pollLater();
    expect(taken).toEqual([]);
  });

  it('counts failed reads as defects, except outages of PostgreSQL', async () => {
    const counted = () => defectCounts().get('UserDirectory') ?? 0;
    const before = counted();
    source.failure = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    await pollLater();
    expect(counted()).toBe(before);
    source.failure = new TypeError('x is not a function');
    await pollLater();
    expect(counted()).toBeGreaterThan(before);
  });

  it('stays unchanged while PostgreSQL is unavailable, and tries again', async () => {
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
