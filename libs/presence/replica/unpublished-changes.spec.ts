import { beforeEach, describe, expect, it } from '@jest/globals';
import { defaultPresenceTiming, type PresenceEntry, type PresenceReport } from '#presence/rules';
import { RealmReplica } from './realm-replica.js';
import { UnpublishedChanges } from './unpublished-changes.js';

const change = (kind: 'show' | 'hide', idleAt: number): PresenceReport => {
  return { userId: 5, kind, activeAt: 0, idleAt, joinedAt: 1 };
};

describe(UnpublishedChanges.name, () => {
  const entryOf = (hiddenAt: number): PresenceEntry => {
    return {
      userId: 5,
      activeAt: 900,
      idleAt: 1000,
      joinedAt: 1,
      hiddenAt,
      isDeactivated: false,
      id: 70,
    };
  };
  const stored = entryOf(0);
  let sut: UnpublishedChanges;

  beforeEach(() => {
    sut = new UnpublishedChanges(defaultPresenceTiming);
  });

  const isOverridden = (one = stored): boolean => sut.applyTo(one) !== one;

  it('shows an invisible user as Redis will show the user, under the known id', () => {
    sut.record(change('hide', 1100), stored);
    expect(sut.applyTo(stored)).toEqual({
      ...stored,
      activeAt: 1100 - 391,
      idleAt: 1100 - 320,
      hiddenAt: 1100,
    });
    expect(sut.hides).toEqual([change('hide', 1100)]);
  });

  it('discards a change that the replica has, or a later one', () => {
    for (const hiddenAt of [1100, 1200]) {
      sut.record(change('hide', 1100), stored);
      sut.discardApplied(entryOf(1099));
      expect(sut.hides).toHaveLength(1);
      sut.discardApplied(entryOf(hiddenAt));
      expect(sut.hides).toEqual([]);
    }
  });

  it('discards the changes of all users that a new replica has', () => {
    sut.record(change('hide', 1100), stored);
    sut.discardAllApplied({ get: () => undefined });
    sut.discardAllApplied({ get: () => entryOf(1099) });
    expect(sut.hides).toHaveLength(1);
    sut.discardAllApplied({ get: () => entryOf(1100) });
    expect(sut.hides).toEqual([]);
  });

  it('forgets a change after a later one to visible, but not after an earlier one', () => {
    sut.record(change('hide', 1100), stored);
    sut.record(change('show', 1099), stored);
    expect(isOverridden()).toBe(true);
    sut.record(change('show', 1100), stored);
    expect(isOverridden()).toBe(false);
  });

  it('ignores a change that arrives after a later one', () => {
    sut.record(change('hide', 1100), entryOf(1100));
    expect(sut.hides).toEqual([]);
    sut.record(change('hide', 1200), stored);
    sut.record(change('hide', 1150), stored);
    expect(sut.hides).toEqual([change('hide', 1200)]);
  });

  it('applies to a user whose first entry arrives later', () => {
    sut.record(change('hide', 1100), undefined);
    expect(isOverridden()).toBe(true);
  });

  describe('publish', () => {
    const replica = RealmReplica.complete({ epoch: 1, top: 70, chain: 1 }, [stored]);
    let written: PresenceReport[];

    beforeEach(() => {
      written = [];
      sut.addRepublished(5);
      sut.record(change('hide', 1100), stored);
    });

    it('republishes an entry once, and a hide until the replica has it', async () => {
      for (let time = 0; time < 2; time += 1) {
        await sut.publish(replica, async (reports) => written.push(...reports) > 0);
      }
      expect(written.map(({ kind }) => kind)).toEqual(['republish', 'hide', 'hide']);
    });

    it('keeps all changes if Redis has lost the realm', async () => {
      await sut.publish(replica, async () => false);
      expect(sut.size).toBe(2);
    });
  });
});
