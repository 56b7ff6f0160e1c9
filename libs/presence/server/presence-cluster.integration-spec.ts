import { afterEach, describe, expect, it } from '@jest/globals';
import { randomInt } from 'node:crypto';
import { type PresenceRuntime } from '#presence/server';
import { keysOf } from '#presence/store';
import { eventually } from '#test/eventually';
import {
  nowSeconds,
  parseAnswer,
  type PresencePicture,
  PresenceRealm,
  usersIn,
} from '#test/presence-realm';
import { RedisCluster } from '#test/redis-cluster';
import { startPresence } from '#test/start-presence';
import { type TestDatabase } from '#test/test-stores';
import { useDatabase, useFixture } from '#test/use-fixture';

/** Realms whose ids are this far apart share a slot. */
const SHARDS = 16;
const USERS = 3;

/** Far enough in the past that later reports are not ahead of the clock. */
const hourAgo = (): number => nowSeconds() - 3600;

/** A realm with its users, and the state that one of them has received. */
class WatchedRealm {
  cursor = -1;
  readonly #seen = new Map<number, number>();

  private constructor(
    readonly realm: PresenceRealm,
    readonly users: readonly number[],
  ) {}

  static async create(stores: TestDatabase, id?: number): Promise<WatchedRealm> {
    const realm = await PresenceRealm.create(stores.database, id);
    return new WatchedRealm(realm, await realm.addUsers(USERS));
  }

  get entriesKey(): string {
    return keysOf(this.realm.id).entries;
  }

  async report(runtime: PresenceRuntime, user: number, reportedAt: number): Promise<void> {
    const request = { reportedAt, pingOnly: true };
    await runtime.service.report(this.realm.request(this.users[user] ?? 0, request));
  }

  async poll(runtime: PresenceRuntime): Promise<PresencePicture> {
    const request = this.realm.poll(this.users[0] ?? 0, this.cursor);
    const answer = parseAnswer(await runtime.service.report(request));
    expect(answer.presence_last_update_id).toBeGreaterThanOrEqual(this.cursor);
    this.cursor = answer.presence_last_update_id;
    for (const userId of usersIn(answer)) {
      this.#seen.set(userId, answer.presences[userId]?.active_timestamp ?? 0);
    }
    return answer;
  }

  /** Polls from the cursor until all users have been received as active at that time. */
  async untilSeen(runtime: PresenceRuntime, activeAt: readonly number[]): Promise<void> {
    const expected = new Map(this.users.map((userId, index) => [userId, activeAt[index]]));
    await eventually(async () => {
      await this.poll(runtime);
      expect(this.#seen).toEqual(expected);
    });
  }
}

describe('Presence on Redis Cluster', () => {
  const stores = useDatabase();
  const cluster = useFixture(() => RedisCluster.start());
  let running: PresenceRuntime[] = [];

  afterEach(async () => {
    await Promise.all(running.map((runtime) => runtime.stop()));
    running = [];
  });

  async function startProcess(): Promise<PresenceRuntime> {
    const runtime = await startPresence(stores.database, { redisUrl: cluster.urls });
    running.push(runtime);
    return runtime;
  }

  /** A realm on each node, in the order of the nodes. */
  async function realmOnEachNode(): Promise<WatchedRealm[]> {
    const first = randomInt(1_000_000, 2 ** 30);
    const realms: WatchedRealm[] = [];
    for (let id = first; id < first + SHARDS; id += 1) {
      const node = await cluster.nodeOf(keysOf(id).meta);
      realms[node] ??= await WatchedRealm.create(stores, id);
    }
    expect(Object.keys(realms)).toHaveLength(cluster.nodes.length);
    return realms;
  }

  async function failuresOnNodes(): Promise<string[]> {
    const infos = await Promise.all(
      cluster.nodes.map((node) => cluster.run(node, (redis) => redis.info('errorstats'))),
    );
    return infos.flatMap((info) => info.match(/^errorstat_\w+/gm) ?? []);
  }

  it('shows reports to one process at all processes, on any node', async () => {
    const [first, second] = [await startProcess(), await startProcess()];
    const realms = await realmOnEachNode();
    const at = hourAgo();
    // Both load the realm before the first report, so that later changes come through the streams.
    for (const watched of realms) await Promise.all([watched.poll(first), watched.poll(second)]);
    for (const watched of realms) {
      for (let user = 0; user < USERS; user += 1) await watched.report(first, user, at);
    }
    for (const watched of realms) await watched.untilSeen(second, [at, at, at]);
    expect(second.counters.loads).toEqual({ first: realms.length, gap: 0, lost: 0 });
    for (const [node, { entriesKey }] of realms.entries()) {
      expect(await cluster.run(node, (redis) => redis.hlen(entriesKey))).toBe(USERS);
    }
    expect(await failuresOnNodes()).not.toContain('errorstat_CROSSSLOT');
  });

  it('answers the realms of a lost node from memory, restores them, and does not affect others', async () => {
    const [first, second] = [await startProcess(), await startProcess()];
    const realms = await realmOnEachNode();
    const at = hourAgo();
    for (const watched of realms) {
      for (let user = 0; user < USERS; user += 1) await watched.report(first, user, at);
      await watched.untilSeen(second, [at, at, at]);
    }
    const [lost, ...others] = realms.toReversed();
    if (!lost) throw new Error('There is no realm');
    await cluster.kill(cluster.nodes.length - 1);
    await lost.report(first, 1, at + 60);
    // Loaded from the start, so that the process can answer.
    lost.cursor = -1;
    expect(usersIn(await lost.poll(second))).toEqual(lost.users);
    await eventually(() => expect(first.status().bufferedUsers).toBe(1));
    for (const watched of others) {
      await watched.report(first, 1, at + 60);
      expect(first.status().bufferedUsers).toBe(1);
      await watched.untilSeen(second, [at, at + 60, at]);
    }
    await expect(first.checkRedis()).rejects.toThrow(/Connection is closed|MOVED/);

    await cluster.startAgain(cluster.nodes.length - 1);
    await lost.untilSeen(second, [at, at + 60, at]);
    await lost.report(second, 2, at + 120);
    await lost.untilSeen(first, [at, at + 60, at + 120]);
    // The other process may have loaded it from PostgreSQL before.
    await eventually(() => expect(first.status().bufferedUsers).toBe(0));
    await first.checkRedis();
  });

  it('skips nothing while a slot moves between nodes', async () => {
    const [first, second] = [await startProcess(), await startProcess()];
    const one = await WatchedRealm.create(stores);
    const neighbour = await WatchedRealm.create(stores, one.realm.id + SHARDS);
    const realms = [one, neighbour];
    let at = hourAgo();
    const latest = [at, at, at];
    const reportOne = async (user: number, via: PresenceRuntime) => {
      at += 60;
      latest[user] = at;
      await Promise.all(realms.map((watched) => watched.report(via, user, at)));
    };
    for (let user = 0; user < USERS; user += 1) await reportOne(user, first);
    for (const watched of realms) await watched.untilSeen(second, latest);
    let round = 0;
    const from = await cluster.nodeOf(one.entriesKey);
    const to = (from + 1) % cluster.nodes.length;
    await cluster.moveSlot(one.entriesKey, to, async () => {
      round += 1;
      await reportOne(round % USERS, round % 2 === 0 ? first : second);
      for (const watched of realms) await watched.poll(second);
    });
    // Three keys per realm, and keys of other tests in the slot.
    expect(round).toBeGreaterThanOrEqual(6);
    for (const watched of realms) {
      await watched.untilSeen(second, latest);
      expect(await cluster.run(to, (redis) => redis.hlen(watched.entriesKey))).toBe(USERS);
    }
    await eventually(async () => {
      const loads = { ...second.counters.loads };
      await reportOne(0, first);
      for (const watched of realms) await watched.untilSeen(second, latest);
      // Through the stream, at its new node.
      expect(second.counters.loads).toEqual(loads);
    });
    // A realm that is partly moved never counted as lost.
    expect([first.counters.restored, second.counters.restored]).toEqual([0, 0]);
    expect(await failuresOnNodes()).not.toContain('errorstat_CROSSSLOT');
  });
});
