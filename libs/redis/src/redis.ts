import { Logger } from '@nestjs/common';
import { type Cluster, Redis, type RedisOptions } from 'ioredis';
import { Deadline } from '#core';
import { isDatabaseRefusal } from './redis-database.js';

/** A command that gets no answer within this fails, so that no request hangs on Redis. */
export const COMMAND_TIMEOUT_MS = 1000;

export const CONNECT_TIMEOUT_MS = 3000;

/** After this a closing socket is cut off; ioredis then waits, though the socket may long be closed. */
export const DISCONNECT_TIMEOUT_MS = 200;

/** How long to wait before the given attempt to connect again. */
export const reconnectDelayMs = (attempt: number): number =>
  Math.min(50 * 2 ** Math.min(attempt, 5), 1000);

/**
 * Opens a connection that survives Redis being away: it reconnects for ever, but a command fails at
 * once while there is no connection, and within a second when there is no answer.
 *
 * The caller closes it with `closeRedis`.
 */
export function openRedis(
  url: string,
  purpose: string,
  options: Pick<RedisOptions, 'enableAutoPipelining' | 'commandTimeout'> = {},
): Redis {
  const redis = new Redis(url, {
    connectionName: `carillon-${purpose}`,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    retryStrategy: reconnectDelayMs,
    commandTimeout: options.commandTimeout ?? COMMAND_TIMEOUT_MS,
    enableAutoPipelining: options.enableAutoPipelining ?? false,
  });
  reportTransitions(redis, `Redis ${purpose}`);
  redis.on('error', (error) => {
    // Left alone the client would serve with database 0. It tries again, and fails commands until the number is right.
    if (isDatabaseRefusal(error)) redis.disconnect(true);
  });
  return redis;
}

/** Waits until the connection serves, or until `deadlineMs` has passed: then it rejects. */
export async function untilReady(redis: Redis | Cluster, deadlineMs: number): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    const deadline = new Deadline(deadlineMs, () => {
      redis.off('ready', onReady);
      reject(new Error('Redis does not answer'));
    });
    const onReady = () => {
      deadline.stop();
      resolve();
    };
    redis.once('ready', onReady);
  });
}

/** Closes a connection; an answer that is still owed is not waited for longer than a second. */
export async function closeRedis(redis: Redis | Cluster): Promise<void> {
  if (redis.status === 'ready') await redis.quit().catch(() => undefined);
  if (redis.status !== 'end') redis.disconnect();
}

/** One entry of the log when Redis goes and one when it is back, not one an attempt. */
export function reportTransitions(redis: Redis | Cluster, name: string): void {
  const logger = new Logger(name);
  let isAway = false;
  redis.on('error', (error: Error) => {
    if (!isAway) logger.warn(`Redis is away: ${error.message}`);
    isAway = true;
  });
  redis.on('ready', () => {
    if (isAway) logger.log('Redis is back');
    isAway = false;
  });
}
