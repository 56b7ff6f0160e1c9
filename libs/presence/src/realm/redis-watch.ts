import { shardOf, shards } from '../redis/presence-keys.js';
import type { PresenceStore } from '../redis/presence.store.js';
import { PeriodicTask } from '../schedule/periodic-task.js';
import type { RealmPresence } from './realm-presence.js';
import type { RealmRegistry } from './realm-registry.js';

/** Whoever holds back work while Redis is away. */
export interface RedisListener {
  redisIsAway(error: unknown, ofShards: readonly number[]): void;
  redisIsBack(ofShards: readonly number[]): Promise<void>;
}

const CHECK_EVERY_MS = 1000;

/**
 * Asks Redis about every realm in one round trip a second, so that a flush, a failover or a dead
 * stream is noticed and repaired also where nobody reports. What holds for one shard, as when a node of
 * a cluster is away, keeps nothing from the others.
 */
export class RedisWatch {
  readonly #task = new PeriodicTask(CHECK_EVERY_MS, () => this.check());

  constructor(
    private readonly store: PresenceStore,
    private readonly realms: RealmRegistry,
    private readonly listener: RedisListener,
  ) {}

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  async check(): Promise<void> {
    const ofShards: RealmPresence[][] = shards.map(() => []);
    for (const realm of this.realms.all()) ofShards[shardOf(realm.realmId)]?.push(realm);
    await Promise.all(ofShards.map((realms, shard) => this.#checkShard(shard, realms)));
  }

  async #checkShard(shard: number, realms: readonly RealmPresence[]): Promise<void> {
    const knownIds = realms.map((realm) => realm.highestKnown);
    try {
      const metas = await this.store.readMetas(
        shard,
        realms.map((realm) => realm.realmId),
      );
      // Mirrors first: what was held is merged into a state that has been brought back. A realm that
      // cannot be repaired now must not keep the others from it; its turn comes again.
      for (const [index, realm] of realms.entries()) {
        await realm.check(metas[index] ?? null, knownIds[index] ?? 0).then(
          () => this.realms.dropIfUnused(realm),
          () => undefined,
        );
      }
      await this.listener.redisIsBack([shard]);
    } catch (error) {
      this.listener.redisIsAway(error, [shard]);
    }
  }
}
