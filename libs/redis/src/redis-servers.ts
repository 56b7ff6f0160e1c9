import type { Redis } from 'ioredis';

/** Commands that a single server and a cluster take alike: each with all its keys in one slot. */
export type RedisCommands = Pick<
  Redis,
  'eval' | 'evalsha' | 'exists' | 'hmget' | 'multi' | 'xreadBuffer'
>;

/** A connection that may be blocked, to the server that has some key; nobody else uses it. */
export interface BlockableConnection {
  /**
   * Lends the connection, opening it when there is none. Rejects with what `work` rejects with, or when
   * the server is away; the next call looks for the server anew.
   */
  run<Result>(work: (redis: Redis) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** One server or the nodes of a cluster. A command fails within about a second when its server is away. */
export interface RedisServers {
  /** Whether keys of different slots are on different servers. */
  readonly isCluster: boolean;
  readonly commands: RedisCommands;
  /** Waits until commands are taken, or until `deadlineMs` has passed: then it rejects. */
  untilReady(deadlineMs: number): Promise<void>;
  blockableFor(key: string): BlockableConnection;
  close(): Promise<void>;
}
