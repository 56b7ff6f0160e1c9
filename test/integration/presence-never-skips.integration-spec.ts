import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keysOf, type PresenceRuntime } from '#presence';
import { roles } from '#contracts';
import { chaosSeed, isLongRun } from '../support/chaos-run.js';
import { eventually } from '../support/eventually.js';
import { parseAnswer, PresenceRealm } from '../support/presence-realm.js';
import {
  anyStep,
  FOUND_BEFORE,
  type PresenceStep,
  PROCESSES,
  USERS,
} from '../support/presence-steps.js';
import { PresenceTruth } from '../support/presence-truth.js';
import { type Picture, PresenceViewer } from '../support/presence-viewer.js';
import { ReplaceableProcesses } from '../support/presence-replaceable-processes.js';
import { createTestDatabase, type TestDatabase, testRedisUrl } from '../support/test-stores.js';
import { withRedis } from '../support/throwaway-redis.js';

/** Those of the users whom the guest may see, by their index. */
const SEEN_BY_GUEST = [0, 1];

/** One history of a realm, with what everybody should see at its end. */
class History {
  readonly #truth: PresenceTruth;
  /** One for each user, and a guest who may not see all of them. */
  readonly #viewers: readonly PresenceViewer[];
  /** Those whose accounts are out of use. */
  readonly #gone = new Set<number>();
  #mostTop = 0;
  #dump: Map<string, Buffer> | undefined;

  constructor(
    private readonly realm: PresenceRealm,
    private readonly users: readonly number[],
    private readonly guest: number,
    private readonly processes: ReplaceableProcesses,
    private readonly setActive: (userId: number, isActive: boolean) => Promise<unknown>,
  ) {
    this.#truth = new PresenceTruth(realm);
    this.#viewers = [...users, guest].map((userId) => new PresenceViewer(userId));
  }

  async run(next: PresenceStep): Promise<void> {
    switch (next.kind) {
      case 'report': {
        if (this.#gone.has(next.user)) return undefined;
        const report = this.#truth.report(this.users[next.user] ?? 0, next.isActive);
        await this.#process(next.via).service.report(report);
        return undefined;
      }
      case 'hide or show': {
        if (this.#gone.has(next.user)) return undefined;
        const change = this.#truth.toggle(this.users[next.user] ?? 0);
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

  /** Once all are back. Also those who begin anew see it, each in the format that they ask for. */
  async expectEverybodyToSeeEverything(): Promise<void> {
    for (const user of this.#gone) await this.#leaveOrComeBack(user);
    await eventually(async () => {
      for (const runtime of this.processes.runtimes) {
        const newcomers = [new PresenceViewer(this.users[0] ?? 0), new PresenceViewer(this.guest)];
        for (const viewer of [...this.#viewers, ...newcomers]) {
          await this.#look(viewer, runtime);
          expect(viewer.picture).toEqual(this.#seenBy(viewer));
        }
        expect(await this.#legacyPicture(runtime)).toEqual(this.#legacyTruth());
      }
    });
  }

  async #leaveOrComeBack(user: number): Promise<void> {
    const isActive = this.#gone.delete(user);
    if (!isActive) this.#gone.add(user);
    await this.setActive(this.users[user] ?? 0, isActive);
  }

  #seenBy({ userId }: PresenceViewer): Picture {
    if (userId !== this.guest) return this.#truth.picture;
    const seen = new Set(SEEN_BY_GUEST.map((index) => this.users[index]));
    return new Map([...this.#truth.picture].filter(([user]) => seen.has(user)));
  }

  async #legacyPicture({ service }: PresenceRuntime): Promise<Record<string, LegacyTimes>> {
    const [userId = 0] = this.users;
    const question = { ...this.realm.poll(userId), format: 'legacy', lastUpdateId: null } as const;
    // The other format has this shape.
    const presences = parseAnswer(await service.report(question)).presences as unknown as Record<
      string,
      { aggregated: LegacyTimes }
    >;
    return Object.fromEntries(
      Object.entries(presences).map(([email, { aggregated }]) => [email, aggregated]),
    );
  }

  #legacyTruth(): Record<string, LegacyTimes> {
    return Object.fromEntries(
      [...this.#truth.picture].map(([userId, times]) => {
        const isActive = times.active_timestamp + 70 >= times.idle_timestamp;
        const timestamp = isActive ? times.active_timestamp : times.idle_timestamp;
        const told = { client: 'website', status: isActive ? 'active' : 'idle', timestamp };
        return [`person${this.users.indexOf(userId) + 1}@realm-${this.realm.id}`, told];
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
    // Only Redis makes ids, so no cursor can be above the highest that it ever had.
    await this.#noteTop();
    expect(viewer.cursor).toBeLessThanOrEqual(this.#mostTop);
  }

  async #noteTop(): Promise<void> {
    const top = await withRedis(testRedisUrl(), (redis) => redis.hget(this.#meta(), 'top'));
    this.#mostTop = Math.max(this.#mostTop, Number(top));
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
        // The type leaves out that a key may be missing.
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
    this.#mostTop = Math.max(this.#mostTop, Number(replies?.[0]?.[1]));
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

describe('Presence, whatever happens', () => {
  let stores: TestDatabase;
  let processes: ReplaceableProcesses;

  beforeAll(async () => {
    stores = await createTestDatabase();
    processes = new ReplaceableProcesses(PROCESSES, stores);
    await processes.start();
  });

  afterAll(async () => {
    await processes.stop();
    await stores.drop();
  });

  it('skips no change, takes no cursor back and sets none ahead', async () => {
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
