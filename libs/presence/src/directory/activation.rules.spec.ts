import { describe, expect, it } from '@jest/globals';
import { Mirror } from '../mirror/mirror.js';
import type { PresenceEntry } from '../state/presence-entry.js';
import { activationChanges } from './activation.rules.js';
import type { KnownUser } from './user-directory.repository.js';

const entry = (userId: number, isDeactivated: boolean): PresenceEntry => {
  return { userId, activeAt: 1, idleAt: 2, joinedAt: 3, hiddenAt: 0, isDeactivated, id: userId };
};

const directoryOf = (...users: readonly [userId: number, isActive: boolean][]) => {
  const known = new Map<number, KnownUser>(
    users.map(([userId, isActive]) => [userId, { userId, email: `${userId}`, isActive }]),
  );
  const deactivated = new Set(users.filter(([, isActive]) => !isActive).map(([userId]) => userId));
  return { get: (userId: number) => known.get(userId), deactivated };
};

const published = Mirror.proven(1, 5, [
  entry(1, false),
  entry(2, false),
  entry(3, true),
  entry(4, true),
]);

describe(activationChanges.name, () => {
  it('names who went out of use and who came back, and nobody else', () => {
    const directory = directoryOf([1, true], [2, false], [3, false], [4, true]);
    expect(activationChanges(published, directory)).toMatchObject([
      { userId: 2, kind: 'deactivate', joinedAt: 3 },
      { userId: 4, kind: 'reactivate', joinedAt: 3 },
    ]);
  });

  it('leaves who has never been seen, and who is not known', () => {
    expect(activationChanges(published, directoryOf([9, false]))).toEqual([]);
  });
});
