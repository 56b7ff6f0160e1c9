import type { Redis } from '#redis';
import { eventually } from './eventually.js';
import { layMovableWire, type MovableWire } from './movable-wire.js';
import { ThrowawayRedis } from './throwaway-redis.js';

/** What Redis held at some moment, by key. */
export type RedisBackup = ReadonlyMap<string, Buffer>;

/** A Redis with a replica, which a test can let lag and promote. */
export class RedisPair {
  /** A password that both take, beside their own: who moves from one to the other keeps it. */
  readonly #password: string;

  private constructor(
    private primary: ThrowawayRedis,
    private replica: ThrowawayRedis,
    /** What the replica follows the primary through. */
    private link: MovableWire,
  ) {
    this.#password = new URL(primary.url).password;
  }

  static async start(): Promise<RedisPair> {
    const [primary, replica] = await Promise.all([ThrowawayRedis.start(), ThrowawayRedis.start()]);
    const pair = new RedisPair(primary, replica, await layMovableWire(primary.url));
    await pair.#prepare(primary);
    await pair.#prepare(replica);
    await pair.#follow();
    return pair;
  }

  /** Of the one that is primary now. */
  get url(): string {
    const url = new URL(this.primary.url);
    url.password = this.#password;
    return url.href;
  }

  run<Result>(work: (redis: Redis) => Promise<Result>): Promise<Result> {
    return this.primary.run(work);
  }

  /** From now on the replica hears of nothing. */
  lag(): void {
    this.link.hold();
  }

  /** Makes the replica the primary, with what it has heard of. */
  async promote(): Promise<void> {
    await this.replica.run((redis) => redis.replicaof('NO', 'ONE'));
    [this.primary, this.replica] = [this.replica, this.primary];
  }

  /** Has the one that was primary before follow the other; what only it knows is gone then. */
  async reunite(): Promise<void> {
    await this.link.stop();
    this.link = await layMovableWire(this.primary.url);
    await this.#follow();
  }

  /** All keys of the primary. */
  backUp(): Promise<RedisBackup> {
    return this.run(async (redis) => {
      const backup = new Map<string, Buffer>();
      for (const key of await redis.keys('*')) {
        const value = await redis.dumpBuffer(key);
        // The type leaves out that a key may be missing.
        if (Buffer.isBuffer(value)) backup.set(key, value);
      }
      return backup;
    });
  }

  /** Restarts the primary, which then has what it had when it was backed up. Nobody may be connected. */
  async restartFrom(backup: RedisBackup): Promise<void> {
    await this.primary.restart();
    await this.#prepare(this.primary);
    await this.run(async (redis) => {
      // A former replica has kept what it was given when it began to follow.
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
      // Else a replica waits for others that might want the same copy.
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
