import type { Redis } from '#platform/redis';
import { eventually } from './eventually.js';
import { startSwitchableProxy, type SwitchableProxy } from './switchable-proxy.js';
import { ThrowawayRedis } from './throwaway-redis.js';

/** A backup of Redis: the serialised value of each key. */
export type RedisBackup = ReadonlyMap<string, Buffer>;

/** A Redis primary and its replica; a test can delay the replication and promote the replica. */
export class RedisPair {
  /** A password that both servers accept, so that a client can change servers with the same credentials. */
  readonly #password: string;

  private constructor(
    private primary: ThrowawayRedis,
    private replica: ThrowawayRedis,
    /** The proxy through which the replica follows the primary. */
    private link: SwitchableProxy,
  ) {
    this.#password = new URL(primary.url).password;
  }

  static async start(): Promise<RedisPair> {
    const [primary, replica] = await Promise.all([ThrowawayRedis.start(), ThrowawayRedis.start()]);
    const pair = new RedisPair(primary, replica, await startSwitchableProxy(primary.url));
    await pair.#prepare(primary);
    await pair.#prepare(replica);
    await pair.#follow();
    return pair;
  }

  /** The URL of the current primary. */
  get url(): string {
    const url = new URL(this.primary.url);
    url.password = this.#password;
    return url.href;
  }

  run<Result>(work: (redis: Redis) => Promise<Result>): Promise<Result> {
    return this.primary.run(work);
  }

  /** Stalls the replication. */
  lag(): void {
    this.link.stall();
  }

  /** Makes the replica the primary, with the writes that it has received. */
  async promote(): Promise<void> {
    await this.replica.run((redis) => redis.replicaof('NO', 'ONE'));
    [this.primary, this.replica] = [this.replica, this.primary];
  }

  /** Makes the former primary the replica; its unreplicated writes are lost. */
  async reunite(): Promise<void> {
    await this.link.stop();
    this.link = await startSwitchableProxy(this.primary.url);
    await this.#follow();
  }

  /** Backs up all keys of the primary. */
  backUp(): Promise<RedisBackup> {
    return this.run(async (redis) => {
      const backup = new Map<string, Buffer>();
      for (const key of await redis.keys('*')) {
        const value = await redis.dumpBuffer(key);
        // The value is null if the key has expired, which the declared type omits.
        if (Buffer.isBuffer(value)) backup.set(key, value);
      }
      return backup;
    });
  }

  /** Restarts the primary with the data of a backup. No client may be connected. */
  async restartFrom(backup: RedisBackup): Promise<void> {
    await this.primary.restart();
    await this.#prepare(this.primary);
    await this.run(async (redis) => {
      // A former replica has persisted the data of its first synchronisation.
      await redis.flushall();
      for (const [key, value] of backup) await redis.restore(key, 0, value);
    });
  }

  async remove(): Promise<void> {
    await this.link.stop();
    await Promise.all([this.primary.remove(), this.replica.remove()]);
  }

  async #prepare(server: ThrowawayRedis): Promise<void> {
    await server.run(async (redis) => {
      await redis.acl('SETUSER', 'default', `>${this.#password}`);
      await redis.config('SET', 'masterauth', this.#password);
      // By default the primary waits for further replicas before it synchronises.
      await redis.config('SET', 'repl-diskless-sync-delay', '0');
    });
  }

  async #follow(): Promise<void> {
    await this.replica.run((redis) => redis.replicaof('127.0.0.1', new URL(this.link.url).port));
    await eventually(async () => {
      const role = await this.replica.run((redis) => redis.role());
      if (String(role[3]) !== 'connected') throw new Error(`The replica is ${String(role[3])}`);
    });
  }
}
