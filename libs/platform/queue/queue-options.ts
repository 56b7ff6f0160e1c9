/** The default prefix of every key of the queues in Redis. */
export const QUEUE_PREFIX = 'carillon';

/** The names of the queues. */
export interface QueueOptions {
  /** The prefix of every key; tests use their own. */
  readonly prefix: string;
}

/** DI token of the QueueOptions. */
export const QUEUE_OPTIONS = Symbol('QueueOptions');

/** DI token of the shared connection of producers, whose commands fail fast while the Redis of the queues is down. */
export const QUEUE_REDIS = Symbol('QueueRedis');

/**
 * The prefix of the keys of one queue. The braces make it a hash tag: on Redis Cluster all keys of a queue are in one slot,
 * as the scripts of BullMQ require.
 */
export const queueKeyPrefix = (prefix: string, queue: string): string => `${prefix}:{${queue}}`;
