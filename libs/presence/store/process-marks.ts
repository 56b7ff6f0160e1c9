import { randomUUID } from 'node:crypto';
import type { RedisCommands } from '#platform/redis';
import { markKeyOf, shards } from './presence-keys.js';

/** The marks of a stopped process expire after this time. */
const KEPT_SECONDS = 60;

/**
 * Detects that Redis has lost data. Each check writes a new mark of this process into a shard and reads the previous one.
 * If the previous mark is missing, the server has lost writes: it was flushed, or a replica that lagged was promoted.
 */
export class ProcessMarks {
  readonly #name = randomUUID();
  /** The last mark in each shard; null if it is unknown whether Redis stored it. */
  readonly #last: (string | null | undefined)[] = shards.map(() => undefined);
  #count = 0;

  constructor(private readonly redis: Pick<RedisCommands, 'set'>) {}

  /**
   * Writes the next mark, in one round trip. Resolves with false if the previous mark was missing; the first call resolves
   * with true. Rejects when Redis is unavailable, but not when it only refuses writes.
   */
  async replace(shard: number): Promise<boolean> {
    const expected = this.#last[shard];
    this.#last[shard] = null;
    this.#count += 1;
    const next = String(this.#count);
    const key = markKeyOf(shard, this.#name);
    try {
      const found = await this.redis.set(key, next, 'EX', KEPT_SECONDS, 'GET');
      this.#last[shard] = next;
      return expected === undefined || found === expected;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // The server is available. The next mark that it takes shows whether it has lost data.
      return true;
    }
  }
}

/** Redis answers but takes no writes: it is full, a read-only replica, or cannot save. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && /^(?:OOM|READONLY|MISCONF|NOREPLICAS) /.test(error.message);
