import { setTimeout as delay } from 'node:timers/promises';
import { closeRedis, openRedis, type Redis, untilReady } from '#platform/redis';

const READY_DEADLINE_MS = 5000;
const IDLE_MS = 1000;

/** Statistics of Redis. */
export class RedisMeter {
  private constructor(private readonly redis: Redis) {}

  static async open(url: string): Promise<RedisMeter> {
    const redis = openRedis(url, 'bench');
    await untilReady(redis, READY_DEADLINE_MS);
    return new RedisMeter(redis);
  }

  async cpuSeconds(): Promise<number> {
    const info = await this.redis.info('cpu');
    return numberIn(info, 'used_cpu_user') + numberIn(info, 'used_cpu_sys');
  }

  /** The memory of its data, in bytes. */
  async usedBytes(): Promise<number> {
    return numberIn(await this.redis.info('memory'), 'used_memory');
  }

  /**
   * The number of reads of Redis from the network per request. The requests must be sequential, so that each read is
   * one round trip. The reads of an idle Redis are subtracted.
   */
  async roundTripsPerRequest(makeRequests: () => Promise<{ requests: number }>): Promise<number> {
    const idle = await this.readsDuring(() => delay(IDLE_MS));
    const startedAt = performance.now();
    let requests = 0;
    const reads = await this.readsDuring(async () => ({ requests } = await makeRequests()));
    const idleReads = idle * ((performance.now() - startedAt) / IDLE_MS);
    return Math.max(0, reads - idleReads) / requests;
  }

  /** The number of reads of Redis from the network during the work, for all clients. */
  async readsDuring(work: () => Promise<unknown>): Promise<number> {
    const before = await this.#reads();
    await work();
    // The second INFO command is one of the reads.
    return (await this.#reads()) - before - 1;
  }

  /** The bytes of all keys with this prefix, including their names. */
  async memoryOf(prefix: string): Promise<number> {
    let sum = 0;
    let cursor = '0';
    do {
      const [next, keys] = await this.redis.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', 1000);
      for (const key of keys) sum += (await this.redis.memory('USAGE', key, 'SAMPLES', 0)) ?? 0;
      cursor = next;
    } while (cursor !== '0');
    return sum;
  }

  /** Removes all keys, as a Redis that has lost its data. */
  async empty(): Promise<void> {
    await this.redis.flushall('ASYNC');
  }

  close(): Promise<void> {
    return closeRedis(this.redis);
  }

  async #reads(): Promise<number> {
    return numberIn(await this.redis.info('stats'), 'total_reads_processed');
  }
}

const numberIn = (info: string, name: string): number =>
  Number(new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]);
