import { PeriodicTask, ToleratedFailures, slicesOf } from '#platform/core';
import type { RedisServers } from '#platform/redis';
import { type PresenceStore, shardOf, shards } from '#presence/store';
import type { RealmPresence } from './realm-presence.js';
import type { RealmRegistry } from './realm-registry.js';

/** Notified of outages of Redis. */
interface RedisListener {
  onRedisDown(error: unknown, ofShards: readonly number[]): void;
  onRedisUp(ofShards: readonly number[]): Promise<void>;
}

const CHECK_EVERY_MS = 1000;

/** The realms of one check in turn, over all shards; at most as many again, if they need a check. */
export const REALMS_PER_CHECK = 500;

/** Realms per request when all realms are checked. */
const REALMS_AT_ONCE = 1000;

/**
 * Checks once a second that Redis has not lost data, so that a flush, a failover or a dead stream is detected and repaired
 * even without reports.
 *
 * Not every realm is checked each second. A server that lost its data is detected at once: the mark of this process is
 * missing, a request failed, or the connection is a new one. Then all realms of the shard are checked. The loss of a single
 * realm is detected in turn: each check covers REALMS_PER_CHECK realms, and first those that need a check.
 *
 * A failure of one shard, for example of one node of a cluster, does not affect the others.
 */
export class RedisMonitor {
  readonly #task = new PeriodicTask(CHECK_EVERY_MS, () => this.check(), {
    failure: 'Redis was not checked for lost data',
  });
  readonly #rounds: CheckRounds;
  readonly #tolerated = new ToleratedFailures(RedisMonitor.name);
  #connectCount = 0;
  /** Realms that could not be repaired the last time. */
  readonly #unrepairedRealms = new Set<RealmPresence>();
  /** Shards whose realms must all be checked. */
  readonly #suspects = new Set<number>(shards);

  constructor(
    private readonly store: Pick<PresenceStore, 'readMetas' | 'replaceMark'>,
    private readonly realms: RealmRegistry,
    private readonly listener: RedisListener,
    private readonly redis: Pick<RedisServers, 'connectCount'>,
  ) {
    this.#rounds = new CheckRounds(realms);
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** Checks all realms, and repairs them. Never rejects. */
  async checkAll(): Promise<void> {
    for (const shard of shards) this.#suspects.add(shard);
    await this.check();
  }

  /** Never rejects. */
  async check(): Promise<void> {
    const { connectCount } = this.redis;
    if (connectCount !== this.#connectCount) for (const shard of shards) this.#suspects.add(shard);
    this.#connectCount = connectCount;
    const ofShards = this.#rounds.byShard();
    const total = ofShards.reduce((sum, realms) => sum + realms.length, 0);
    await Promise.all(ofShards.map((realms, shard) => this.#checkShard(shard, realms, total)));
  }

  async #checkShard(shard: number, realms: readonly RealmPresence[], total: number): Promise<void> {
    try {
      const chosen = this.#rounds.next(shard, realms, total);
      for (const realm of realms) if (this.#unrepairedRealms.has(realm)) chosen.add(realm);
      const [isWhole] = await Promise.all([
        realms.length === 0 || this.store.replaceMark(shard),
        this.#checkRealms(shard, [...chosen]),
      ]);
      if (!isWhole) this.#suspects.add(shard);
      if (this.#suspects.has(shard)) {
        await this.#checkInSlices(
          shard,
          realms.filter((realm) => !chosen.has(realm)),
        );
        this.#suspects.delete(shard);
      }
      await this.listener.onRedisUp([shard]);
    } catch (error) {
      // The next server that answers may be another one.
      this.#suspects.add(shard);
      this.listener.onRedisDown(error, [shard]);
    }
  }

  async #checkInSlices(shard: number, realms: readonly RealmPresence[]): Promise<void> {
    for (const slice of slicesOf(realms, REALMS_AT_ONCE)) await this.#checkRealms(shard, slice);
  }

  async #checkRealms(shard: number, realms: readonly RealmPresence[]): Promise<void> {
    const knownIds = realms.map((realm) => realm.highestKnownId);
    const metas = await this.store.readMetas(
      shard,
      realms.map((realm) => realm.realmId),
    );
    // Replicas are repaired before buffered reports are written, so that reports merge into restored state. A realm that
    // cannot be repaired now must not block the others; the next check includes it.
    for (const [index, realm] of realms.entries()) {
      try {
        await realm.check(metas[index] ?? null, knownIds[index] ?? 0);
        this.#unrepairedRealms.delete(realm);
        this.realms.dropIfUnused(realm);
      } catch (error) {
        this.#unrepairedRealms.add(realm);
        this.#tolerated.record(error);
      }
    }
  }
}

/** Selects the realms of a check: those that need one, and others in turn. */
class CheckRounds {
  /** The realms that remain in this round, by shard. */
  readonly #toCome: RealmPresence[][] = shards.map(() => []);

  constructor(private readonly realms: Pick<RealmRegistry, 'all' | 'has'>) {}

  /** All realms, by shard. */
  byShard(): RealmPresence[][] {
    const ofShards: RealmPresence[][] = shards.map(() => []);
    for (const realm of this.realms.all()) ofShards[shardOf(realm.realmId)]?.push(realm);
    return ofShards;
  }

  /** The realms of the next check of a shard; `total` is the number of realms of all shards. */
  next(shard: number, realms: readonly RealmPresence[], total: number): Set<RealmPresence> {
    const most = Math.ceil((REALMS_PER_CHECK * realms.length) / Math.max(total, REALMS_PER_CHECK));
    const chosen = new Set<RealmPresence>();
    for (const realm of realms) {
      if (chosen.size === most) break;
      if (realm.needsCheck) chosen.add(realm);
    }
    for (const realm of this.#inTurn(shard, realms, most)) chosen.add(realm);
    return chosen;
  }

  #inTurn(shard: number, realms: readonly RealmPresence[], most: number): RealmPresence[] {
    const toCome = this.#toCome[shard] ?? [];
    if (toCome.length === 0) toCome.push(...realms);
    return toCome.splice(0, most).filter((realm) => this.realms.has(realm));
  }
}
