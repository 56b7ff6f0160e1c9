import type { QueueName } from '#contracts';

/** Where the queues are. */
export interface QueueOptions {
  readonly url: string;
  /** Before every key; tests give one of their own. */
  readonly prefix: string;
}

/** DI token of the QueueOptions. */
export const QUEUE_OPTIONS = Symbol('QueueOptions');

/** DI token of the connection that producers share: its commands fail fast while Redis is away. */
export const QUEUE_REDIS = Symbol('QueueRedis');

/** Before every key, unless another is given. */
export const QUEUE_PREFIX = 'carillon';

/**
 * Before every key of one queue. The braces make it a hash tag: on Redis Cluster all keys of a queue are in one slot, as
 * BullMQ's scripts require, and the queues in slots of their own.
 */
export const queueKeyPrefix = (prefix: string, queue: QueueName): string => `${prefix}:{${queue}}`;
