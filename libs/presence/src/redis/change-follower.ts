import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { RedisServers } from '#redis';
import { shardOf, shards, slotKeyOf } from './presence-keys.js';
import { type FollowedRealm, type ReadOutcome, StreamReader } from './stream-reader.js';

/** A realm that joins is followed after at most this; until then its mirror only trails. */
const BLOCK_MS = 200;

/**
 * How long a stream is left alone after a read. It gathers after changes, or every single one would cost
 * a round trip.
 */
const PAUSE_MS: Readonly<Record<ReadOutcome, number>> = { changes: 2, waited: 0, moving: 20 };

/** Between attempts while Redis is away. */
const RETRY_MS = 250;

/**
 * Follows the streams of all realms, each loop on a connection of its own, which is blocked all the time:
 * one loop on a single server, and on a cluster one for each shard, since a read must stay in a slot.
 */
export class ChangeFollower {
  readonly #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly redis: RedisServers,
    private readonly realms: () => readonly FollowedRealm[],
  ) {
    // Each loop listens to it while it waits, and more than ten would count as a leak.
    setMaxListeners(shards.length, this.#stopping.signal);
  }

  start(): void {
    this.#running = this.redis.isCluster
      ? Promise.all(
          shards.map((shard) =>
            this.#follow(slotKeyOf(shard), ({ realmId }) => shardOf(realmId) === shard),
          ),
        )
      : this.#follow('', () => true);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #follow(key: string, isMine: (realm: FollowedRealm) => boolean): Promise<void> {
    const connection = this.redis.blockableFor(key);
    const reader = new StreamReader(connection, this.redis.commands);
    while (!this.#stopping.signal.aborted) {
      const waitMs = await this.#readOnce(reader, isMine).catch(() => RETRY_MS);
      // Rejects when stopped, which the loop's condition sees.
      await delay(waitMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
    await connection.close();
  }

  /** Hands on what there is, or waits for it; resolves with the time to wait before the next call. */
  async #readOnce(
    reader: StreamReader,
    isMine: (realm: FollowedRealm) => boolean,
  ): Promise<number> {
    const realms = this.realms().filter((realm) => realm.position !== null && isMine(realm));
    if (realms.length === 0) return BLOCK_MS;
    return PAUSE_MS[await reader.read(realms, BLOCK_MS)];
  }
}
