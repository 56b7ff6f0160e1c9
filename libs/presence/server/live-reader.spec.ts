import { describe, expect, it } from '@jest/globals';
import { PresenceCounters } from '#presence/metrics';
import { type RealmRegistry, ServedRevisions, type UserDirectories } from '#presence/replica';
import { AccessLimits } from './access-limits.js';
import { NOW_MS, people, replicaOf } from './answers/answer-builder.fixture.js';
import { LiveReader } from './live-presence.js';

const PEOPLE = 50_000;

/** A reader of an organisation. The fakes have the methods that are called. */
function readerOfManyPeople(): LiveReader {
  const replica = replicaOf(people(PEOPLE));
  const realm = {
    ready: () => Promise.resolve(),
    caughtUpReplica: () => Promise.resolve(replica),
    served: new ServedRevisions(),
    unappliedChange: () => undefined,
  };
  const directory = {
    ready: () => Promise.resolve(),
    get: (userId: number) => ({ email: `u${userId}@example.org`, isActive: true }),
  };
  return new LiveReader(
    { of: () => realm } as unknown as RealmRegistry,
    { of: () => directory } as unknown as UserDirectories,
    new AccessLimits(false, { visibleTo: () => Promise.resolve(null) }),
    { isRedisDown: () => false },
    () => NOW_MS,
    new PresenceCounters(),
  );
}

describe(LiveReader.name, () => {
  it('lets polls be answered while it renders the presence of a large organisation', async () => {
    const sut = readerOfManyPeople();
    const state = { turns: 0, isReading: true };
    const count = (): void => {
      state.turns += 1;
      if (state.isReading) setImmediate(count);
    };
    setImmediate(count);
    const text = await sut.readRealm({ realmId: 1, userId: 1, isGuest: false });
    state.isReading = false;
    expect(Object.keys(JSON.parse(text).presences)).toHaveLength(PEOPLE);
    expect(state.turns).toBeGreaterThan(3);
  });
});
