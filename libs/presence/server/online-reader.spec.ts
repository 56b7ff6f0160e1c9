import { beforeEach, describe, expect, it } from '@jest/globals';
import type { OnlineQuery } from '#presence/rpc';
import { type RealmPresence, RealmReplica, type UserDirectory } from '#presence/replica';
import { defaultPresenceTiming, type PresenceEntry } from '#presence/rules';
import type { ViewLimits } from './access-limits.js';
import { OnlineReader } from './online-reader.js';

const NOW = 1_700_000_000;
const idAt = (seconds: number): number => seconds * 1_000_000;

/** A user who came online some seconds ago. */
const online = (userId: number, ago: number, different: Partial<PresenceEntry> = {}) => ({
  userId,
  id: idAt(NOW - ago),
  activeAt: NOW - ago,
  idleAt: NOW - ago,
  joinedAt: 1,
  hiddenAt: 0,
  isDeactivated: false,
  ...different,
});

/** The read side of a presence process with these users. */
class World {
  readonly inactive = new Set<number>();
  readonly unknown = new Set<number>();
  readonly refreshed = new Map<number, number>();
  readonly served: number[] = [];
  readonly unapplied = new Map<number, PresenceEntry>();
  limits: ViewLimits | null = null;
  isLoaded = true;

  constructor(private readonly entries: readonly PresenceEntry[]) {}

  read(aboveId: number, different: Partial<OnlineQuery> = {}) {
    const position = { epoch: 1, top: idAt(NOW), chain: 1 };
    const replica = this.isLoaded
      ? RealmReplica.complete(position, this.entries)
      : RealmReplica.provisional(this.entries);
    // The fakes have the members that are read.
    const realm = {
      replica,
      ready: () => Promise.resolve(),
      caughtUpReplica: () => Promise.resolve(replica),
      unappliedChange: (userId: number) => this.unapplied.get(userId),
      onlineIds: { idOf: ({ userId, id }: PresenceEntry) => this.refreshed.get(userId) ?? id },
      served: { record: (userId: number) => this.served.push(userId) },
    } as unknown as RealmPresence;
    const directory = {
      ready: () => Promise.resolve(),
      get: (userId: number) =>
        this.unknown.has(userId)
          ? undefined
          : { userId, email: `user${userId}@a`, isActive: !this.inactive.has(userId) },
      isStillToRead: (userId: number) => this.unknown.has(userId),
    } as unknown as UserDirectory;
    const sut = new OnlineReader(
      { of: () => realm },
      { of: () => directory },
      { limitsFor: () => Promise.resolve(this.limits) },
      () => NOW * 1000,
      defaultPresenceTiming,
    );
    const query = { realmId: 1, userId: 1, isGuest: false, furtherViewers: [], aboveId };
    return sut.read({ ...query, ...different });
  }
}

const idsOf = ({ users }: { users: readonly { userId: number }[] }): number[] =>
  users.map(({ userId }) => userId);

let world: World;

beforeEach(() => {
  world = new World([online(1, 30), online(2, 20), online(3, 10)]);
});

describe(OnlineReader.name, () => {
  it('returns those who came online above an id, in the order of their ids', async () => {
    expect(await world.read(idAt(NOW - 25))).toEqual({
      users: [
        {
          userId: 2,
          email: 'user2@a',
          activeAt: NOW - 20,
          idleAt: NOW - 20,
          onlineId: idAt(NOW - 20),
        },
        {
          userId: 3,
          email: 'user3@a',
          activeAt: NOW - 10,
          idleAt: NOW - 10,
          onlineId: idAt(NOW - 10),
        },
      ],
      position: idAt(NOW),
    });
  });

  it('omits a user who only reported again', async () => {
    world.refreshed.set(3, idAt(NOW - 100));
    expect(idsOf(await world.read(idAt(NOW - 25)))).toEqual([2]);
  });

  it('omits users who are offline again, invisible, deactivated, or without an active account', async () => {
    world = new World([
      online(1, 201),
      online(2, 20, { activeAt: NOW - 300, hiddenAt: NOW - 20 }),
      online(3, 20, { isDeactivated: true }),
      online(4, 20),
      online(5, 20),
    ]);
    world.inactive.add(4);
    expect(idsOf(await world.read(0))).toEqual([5]);
  });

  it('has the newest times, also of a change that the replica does not have yet', async () => {
    world.unapplied.set(3, online(3, 0));
    const { users } = await world.read(idAt(NOW - 15));
    expect(users).toMatchObject([{ userId: 3, activeAt: NOW }]);
  });

  it('returns to a guest only those whom the guest may see', async () => {
    world.limits = { visibleUsers: new Set([1, 3]), substituteHost: 'a' };
    expect(idsOf(await world.read(0, { isGuest: true }))).toEqual([1, 3]);
  });

  it('ends before a user who is not in the directory yet', async () => {
    world.unknown.add(2);
    const { position } = await world.read(0);
    expect(position).toBe(idAt(NOW - 20) - 1);
  });

  it('records for all viewers what they were answered', async () => {
    await world.read(0, { furtherViewers: [7, 8] });
    expect(world.served).toEqual([1, 7, 8]);
  });

  it('returns at most the 200 newest', async () => {
    world = new World(Array.from({ length: 150 }, (_, index) => online(index + 1, 150 - index)));
    expect(idsOf(await world.read(0))).toHaveLength(150);
    const many = Array.from({ length: 250 }, (_, index) =>
      online(index + 1, 100, { id: idAt(NOW - 100) + index }),
    );
    const ids = idsOf(await new World(many).read(0));
    expect(ids).toHaveLength(200);
    expect(ids[0]).toBe(51);
    expect(ids.at(-1)).toBe(250);
  });

  it('rejects without a complete replica', async () => {
    world.isLoaded = false;
    await expect(world.read(0)).rejects.toThrow('not loaded');
  });
});
