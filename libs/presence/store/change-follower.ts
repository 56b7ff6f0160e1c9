import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { ToleratedFailures } from '#platform/core';
import type { BlockingConnection, RedisCommands, RedisServers } from '#platform/redis';
import type { PresenceChange } from '#presence/rules';
import { readChange } from './packed.js';
import { keysOf, shardOf, shards, slotKeyOf } from './presence-keys.js';

/** A realm whose changes after `position` are read; null without a complete replica. */
export interface RealmFollower {
  readonly realmId: number;
  readonly position: number | null;
  follow(change: PresenceChange): void;
}

const COUNT_PER_STREAM = 1000;

const bytes = z.instanceof(Buffer);
const streamsReply = z
  .array(z.tuple([bytes, z.array(z.tuple([bytes, z.array(bytes)]))]))
  .nullable();

/**
 * The result of a read: changes were delivered; there were none within the wait; or it read once without waiting,
 * because the keys are moving between two servers.
 */
type ReadOutcome = 'changes' | 'waited' | 'moving';

/** Reads the streams of realms of one slot, or of a single server, and delivers every change. */
export class StreamReader {
  /** `commands` reads keys that are moving between two servers, which `connection` cannot. */
  constructor(
    private readonly connection: BlockingConnection,
    private readonly commands: RedisCommands,
  ) {}

  /** Delivers new changes, or waits for them. Rejects when Redis is unavailable. */
  async read(realms: readonly RealmFollower[], blockMs: number): Promise<ReadOutcome> {
    const streams = realms.map((realm) => keysOf(realm.realmId).stream);
    const positions = realms.map(positionOf);
    const reply = await this.connection.run((redis) =>
      redis
        .xreadBuffer(
          'COUNT',
          COUNT_PER_STREAM,
          'BLOCK',
          blockMs,
          'STREAMS',
          ...streams,
          ...positions,
        )
        .catch((error: unknown) => {
          if (isSlotMoving(error)) return 'moving' as const;
          throw error;
        }),
    );
    if (reply !== 'moving') return deliverChanges(realms, reply) ? 'changes' : 'waited';
    await Promise.all(realms.map((realm) => this.#readAlone(realm)));
    return 'moving';
  }

  async #readAlone(realm: RealmFollower): Promise<void> {
    const { stream } = keysOf(realm.realmId);
    const reply = await this.commands.xreadBuffer(
      'COUNT',
      COUNT_PER_STREAM,
      'STREAMS',
      stream,
      positionOf(realm),
    );
    deliverChanges([realm], reply);
  }
}

const positionOf = ({ position }: RealmFollower): string => `${position}-0`;

/** Returns whether there were changes. */
function deliverChanges(realms: readonly RealmFollower[], reply: unknown): boolean {
  const byStream = new Map(realms.map((realm) => [keysOf(realm.realmId).stream, realm]));
  const streams = streamsReply.parse(reply) ?? [];
  for (const [stream, entries] of streams) {
    const realm = byStream.get(stream.toString());
    for (const [id, [, packed]] of entries) {
      if (packed) realm?.follow(readChange(Number.parseInt(id.toString(), 10), packed));
    }
  }
  return streams.length > 0;
}

/** A cluster node does not have all keys of the slot, because the slot is moving. */
const isSlotMoving = (error: unknown): boolean =>
  error instanceof Error && /^(?:ASK|TRYAGAIN)\b/.test(error.message);

/** Upper bound of one wait for changes. A new realm is followed after at most this time. */
const BLOCK_MS = 200;

/** The pause after a read. Without a pause after changes, each change would cost a round trip. */
const PAUSE_MS: Readonly<Record<ReadOutcome, number>> = { changes: 2, waited: 0, moving: 20 };

/** The pause between attempts while Redis is unavailable. */
const RETRY_MS = 250;

/**
 * Follows the streams of all realms. A single server needs one loop; a cluster needs one per shard, because one read must
 * not leave its slot. Each loop blocks its own connection.
 */
export class ChangeFollower {
  readonly #stopping = new AbortController();
  readonly #tolerated = new ToleratedFailures(ChangeFollower.name);
  #running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly redis: RedisServers,
    private readonly realms: () => readonly RealmFollower[],
  ) {
    // Each loop adds a listener; Node would report more than ten as a leak.
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

  async #follow(key: string, isMine: (realm: RealmFollower) => boolean): Promise<void> {
    const connection = this.redis.blockingConnectionFor(key);
    const reader = new StreamReader(connection, this.redis.commands);
    while (!this.#stopping.signal.aborted) {
      const waitMs = await this.#readOnce(reader, isMine).catch((error: unknown) => {
        if (!this.#stopping.signal.aborted) this.#tolerated.record(error);
        return RETRY_MS;
      });
      // Rejects on stop(); the condition of the loop then ends it.
      await delay(waitMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
    await connection.close();
  }

  /** Delivers new changes, or waits for them. Resolves with the pause before the next call. */
  async #readOnce(
    reader: StreamReader,
    isMine: (realm: RealmFollower) => boolean,
  ): Promise<number> {
    const realms = this.realms().filter((realm) => realm.position !== null && isMine(realm));
    if (realms.length === 0) return BLOCK_MS;
    return PAUSE_MS[await reader.read(realms, BLOCK_MS)];
  }
}
