import { describe, expect, it } from '@jest/globals';
import type { PresenceEntry } from '#presence/rules';
import { activationChanges } from './activations.js';
import { RealmReplica } from './realm-replica.js';

const entry = (userId: number, isDeactivated: boolean): PresenceEntry => {
  return { userId, activeAt: 1, idleAt: 2, joinedAt: 3, hiddenAt: 0, isDeactivated, id: userId };
};

const directoryOf = (...users: readonly [userId: number, isActive: boolean][]) => {
  const known = new Map(
    users.map(([userId, isActive]) => [userId, { userId, email: `u${userId}@x`, isActive }]),
  );
  const deactivated = new Set(users.filter(([, isActive]) => !isActive).map(([userId]) => userId));
  return { get: (userId: number) => known.get(userId), deactivated };
};

const published = RealmReplica.complete({ epoch: 1, top: 5, chain: 1 }, [
  entry(1, false),
  entry(2, false),
  entry(3, true),
  entry(4, true),
]);

describe(activationChanges.name, () => {
  it('deactivates and reactivates exactly the users whose accounts changed', () => {
    const directory = directoryOf([1, true], [2, false], [3, false], [4, true]);
    expect(activationChanges(published, directory)).toMatchObject([
      { userId: 2, kind: 'deactivate', joinedAt: 3 },
      { userId: 4, kind: 'reactivate', joinedAt: 3 },
    ]);
  });

  it('ignores users without presence and users without an account', () => {
    expect(activationChanges(published, directoryOf([9, false]))).toEqual([]);
  });
});
