import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { roles } from '#directory/roles';
import { type PresenceRuntime } from '#presence/server';
import { keysOf } from '#presence/store';
import { chaosSeed, isLongRun } from '#test/chaos-run';
import { eventually } from '#test/eventually';
import { parseAnswer, PresenceRealm } from '#test/presence-realm';
import { ReplaceableProcesses } from '#test/presence-replaceable-processes';
import { anyStep, FOUND_BEFORE, type PresenceStep, PROCESSES, USERS } from '#test/presence-steps';
import { ExpectedPresence } from '#test/presence-expected-state';
import { type PresenceState, PresenceViewer } from '#test/presence-viewer';
import { type TestDatabase, testRedisUrl } from '#test/test-stores';
import { withRedis } from '#test/throwaway-redis';
import { useDatabase, useFixture } from '#test/use-fixture';

/** The users that the guest may see, by index. */
const SEEN_BY_GUEST = [0, 1];

/** One history of a realm, with the expected state at its end. */
class History {
  readonly #expected: ExpectedPresence;
  /** One viewer per user, and a guest who cannot see all users. */
  readonly #viewers: readonly PresenceViewer[];
  /** Users with deactivated accounts. */
  readonly #gone = new Set<number>();
  #maxTop = 0;
  #dump: Map<string, Buffer> | undefined;

  constructor(
    private readonly realm: PresenceRealm,
    private readonly users: readonly number[],
    private readonly guest: number,
    private readonly processes: ReplaceableProcesses,
    private readonly setActive: (userId: number, isActive: boolean) => Promise<unknown>,
  ) {
    this.#expected = new ExpectedPresence(realm);
    this.#viewers = [...users, guest].map((userId) => new PresenceViewer(userId));
  }

  async run(next: PresenceStep): Promise<void> {
    switch (next.kind) {
      case 'report': {
        if (this.#gone.has(next.user)) return undefined;
        const report = this.#expected.report(this.users[next.user] ?? 0, next.isActive);
        await this.#process(next.via).service.report(report);
        return undefined;
      }
      case 'hide or show': {
        if (this.#gone.has(next.user)) return undefined;
        const change = this.#expected.toggle(this.users[next.user] ?? 0);
        return this.#process(next.via).service.changeVisibility(change);
      }
      case 'poll':
        return this.#poll(this.#viewers[next.viewer], this.#process(next.via));
      case 'leave or come back':
        return this.#leaveOrComeBack(next.user);
      case 'replace':
        return this.processes.replace(next.via);
      case 'flush':
        return this.#write(new Map());
      case 'dump':
        this.#dump = await this.#read();
        return undefined;
      case 'go back to the dump':
        return this.#dump && this.#write(this.#dump);
    }
  }

  /** The state after all faults end, as every viewer and a new client must see it, in both formats. */
  async expectEverybodyToSeeEverything(): Promise<void> {
    for (const user of this.#gone) await this.#leaveOrComeBack(user);
    await eventually(async () => {
      for (const runtime of this.processes.runtimes) {
        const newcomers = [new PresenceViewer(this.users[0] ?? 0), new PresenceViewer(this.guest)];
        for (const viewer of [...this.#viewers, ...newcomers]) {
          await this.#look(viewer, runtime);
          expect(viewer.state).toEqual(this.#seenBy(viewer));
        }
        expect(await this.#legacyState(runtime)).toEqual(this.#expectedLegacy());
      }
    });
  }

  async #leaveOrComeBack(user: number): Promise<void> {
    const isActive = this.#gone.delete(user);
    if (!isActive) this.#gone.add(user);
    await this.setActive(this.users[user] ?? 0, isActive);
  }

  #seenBy({ userId }: PresenceViewer): PresenceState {
    if (userId !== this.guest) return this.#expected.state;
    const seen = new Set(SEEN_BY_GUEST.map((index) => this.users[index]));
    return new Map([...this.#expected.state].filter(([user]) => seen.has(user)));
  }

  async #legacyState({ service }: PresenceRuntime): Promise<Record<string, LegacyTimes>> {
    const [userId = 0] = this.users;
    const question = { ...this.realm.poll(userId), format: 'legacy', lastUpdateId: null } as const;
    // The shape of the other format.
    const presences = parseAnswer(await service.report(question)).presences as unknown as Record<
      string,
      { aggregated: LegacyTimes }
    >;
    return Object.fromEntries(
      Object.entries(presences).map(([email, { aggregated }]) => [email, aggregated]),
    );
  }

  #expectedLegacy(): Record<string, LegacyTimes> {
    return Object.fromEntries(
      [...this.#expected.state].map(([userId, times]) => {
        const isActive = times.active_timestamp + 70 >= times.idle_timestamp;
        const timestamp = isActive ? times.active_timestamp : times.idle_timestamp;
        const entry = { client: 'website', status: isActive ? 'active' : 'idle', timestamp };
        return [`person${this.users.indexOf(userId) + 1}@realm-${this.realm.id}`, entry];
      }),
    );
  }

  #look(viewer: PresenceViewer, { service }: PresenceRuntime): Promise<void> {
    const isGuest = viewer.userId === this.guest;
    this.processes.letTimePass();
    return viewer.poll(service, (cursor) => ({
      ...this.realm.poll(viewer.userId, cursor),
      isGuest,
    }));
  }

  async #poll(viewer: PresenceViewer | undefined, runtime: PresenceRuntime): Promise<void> {
    if (!viewer) return;
    const before = viewer.cursor;
    await this.#look(viewer, runtime);
    if (viewer.cursor === before) return;
    // Only Redis allocates ids, so no cursor can be above its highest id.
    await this.#noteTop();
    expect(viewer.cursor).toBeLessThanOrEqual(this.#maxTop);
  }

  async #noteTop(): Promise<void> {
    const top = await withRedis(testRedisUrl(), (redis) => redis.hget(this.#meta(), 'top'));
    this.#maxTop = Math.max(this.#maxTop, Number(top));
  }

  #process(index: number): PresenceRuntime {
    const runtime = this.processes.runtimes[index];
    if (!runtime) throw new Error(`There is no process ${index}`);
    return runtime;
  }

  #meta(): string {
    return keysOf(this.realm.id).meta;
  }

  #keys(): string[] {
    return Object.values(keysOf(this.realm.id));
  }

  #read(): Promise<Map<string, Buffer>> {
    return withRedis(testRedisUrl(), async (redis) => {
      const dump = new Map<string, Buffer>();
      for (const key of this.#keys()) {
        const value = await redis.dumpBuffer(key);
        // The type omits that a key may be missing.
        if (Buffer.isBuffer(value)) dump.set(key, value);
      }
      return dump;
    });
  }

  async #write(dump: ReadonlyMap<string, Buffer>): Promise<void> {
    const replies = await withRedis(testRedisUrl(), (redis) => {
      const transaction = redis.multi().hget(this.#meta(), 'top').del(this.#keys());
      for (const [key, value] of dump) transaction.restore(key, 0, value);
      return transaction.exec();
    });
    this.#maxTop = Math.max(this.#maxTop, Number(replies?.[0]?.[1]));
  }
}

interface LegacyTimes {
  readonly client: string;
  readonly status: string;
  readonly timestamp: number;
}

/** A realm with its users, and a guest who shares a channel with some of them. */
async function beginHistory(
  { database }: TestDatabase,
  processes: ReplaceableProcesses,
): Promise<History> {
  const realm = await PresenceRealm.create(database);
  const users = await realm.addUsers(USERS);
  const guest = await realm.addUser({ role: roles.guest });
  const ofRealm = { realmId: realm.id };
  const { prisma } = database;
  const group = await prisma.userGroup.create({ data: { ...ofRealm, name: 'see everyone' } });
  await prisma.realm.update({
    where: { id: realm.id },
    data: { canAccessAllUsersGroupId: group.id },
  });
  const channel = await prisma.channel.create({ data: { ...ofRealm, name: 'shared' } });
  const subscribed = [guest, ...SEEN_BY_GUEST.map((index) => users[index] ?? 0)];
  await prisma.subscription.createMany({
    data: subscribed.map((userId) => ({ channelId: channel.id, userId })),
  });
  const setActive = (id: number, isActive: boolean) =>
    prisma.user.update({ where: { id }, data: { isActive } });
  return new History(realm, users, guest, processes, setActive);
}

describe('Presence in any history of events', () => {
  const stores = useDatabase();
  const processes = useFixture(async () => new ReplaceableProcesses(PROCESSES, stores));

  beforeAll(async () => {
    await processes.start();
  });

  it('skips no change, and moves no cursor back or ahead of the server', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 60 }), async (steps) => {
        const history = await beginHistory(stores, processes);
        for (const next of steps) await history.run(next);
        await history.expectEverybodyToSeeEverything();
      }),
      {
        seed: chaosSeed,
        numRuns: isLongRun ? 60 : FOUND_BEFORE.length + 3,
        endOnFailure: true,
        examples: FOUND_BEFORE.map((steps) => [steps]),
      },
    );
  }, 240_000);
});
