import { readFileSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import { type Cluster, Redis, type RedisOptions } from 'ioredis';
import { ConfigError, redisAuthorityFile, sentinelAddress } from '#platform/config';
import {
  type Backoff,
  backoffMs,
  Deadline,
  observeFailedStoreCall,
  observeStoreCall,
  withinDeadline,
} from '#platform/core';

/** The timeout of a command, so that no request waits for Redis. */
export const COMMAND_TIMEOUT_MS = 1000;

/**
 * The timeout of a command, and the one of a connection without any response: it is replaced. The timeout of a command
 * leaves the connection open, and behind a lost path or a hung server no response would ever come.
 */
export const timeoutsOf = (commandTimeout: number) => ({
  commandTimeout,
  socketTimeout: 2 * commandTimeout,
});

/** The time without any response after which a connection of queues is replaced: it waits up to ten seconds for a job. */
export const QUEUE_SILENCE_TIMEOUT_MS = 15_000;

export const CONNECT_TIMEOUT_MS = 3000;

/** ioredis waits this long for a socket to close, even if it is closed already. */
export const DISCONNECT_TIMEOUT_MS = 200;

export const MAX_RECONNECT_MS = 1000;
const RECONNECT: Backoff = { firstMs: 100, maxMs: MAX_RECONNECT_MS };

/** The delay before a reconnect in milliseconds; attempts count from 1. */
export const reconnectDelayMs = (attempt: number): number => backoffMs(attempt, RECONNECT);

/** The TLS options of an encrypted address: the authority that it names, or those that Node trusts. */
export function tlsOf(url: string): { readonly ca?: string } {
  const file = redisAuthorityFile(url);
  return file === null ? {} : { ca: readFileSync(file, 'utf8') };
}

/**
 * A connection to the server of a URL, or to the present primary of a group that Sentinel watches. After a failover it
 * connects to the new primary.
 */
function connectTo(url: string, options: Omit<RedisOptions, 'replyMapping'>): Redis {
  const address = sentinelAddress(url);
  if (address === null) {
    return new Redis(url, { ...options, ...(url.startsWith('rediss:') && { tls: tlsOf(url) }) });
  }
  const { sentinels, name, username, password, database, isEncrypted } = address;
  return new Redis({
    ...options,
    sentinels: [...sentinels],
    name,
    db: database,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(isEncrypted && {
      tls: tlsOf(url),
      sentinelTLS: tlsOf(url),
      enableTLSForSentinelMode: true,
    }),
    ...(options.retryStrategy && { sentinelRetryStrategy: options.retryStrategy }),
    // Sentinel closes the connections of a former primary; this is for a command in between.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  });
}

/**
 * Opens a connection that reconnects without a limit. A command fails at once without a connection, and after a second
 * without a response. After two seconds without any response the connection is replaced.
 *
 * The caller closes it with `closeRedis`.
 */
export function openRedis(
  url: string,
  purpose: string,
  options: Pick<RedisOptions, 'enableAutoPipelining' | 'commandTimeout'> = {},
): Redis {
  const redis = connectTo(url, {
    connectionName: `carillon-${purpose}`,
    enableOfflineQueue: false,
    // Subscribers do it: the client handles no failure, and an unhandled rejection ends the program.
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    retryStrategy: reconnectDelayMs,
    ...timeoutsOf(options.commandTimeout ?? COMMAND_TIMEOUT_MS),
    enableAutoPipelining: options.enableAutoPipelining ?? false,
  });
  reportTransitions(redis, `Redis ${purpose}`);
  // A longer timeout is for commands that wait for something else.
  if (options.commandTimeout === undefined) measureCalls(redis);
  return reconnectOnDatabaseRefusal(redis);
}

/**
 * Opens a connection that queues its commands during an outage, until `reconnectDelay` returns null instead of the delay
 * in milliseconds. It does not log errors.
 *
 * The caller closes it and its duplicates with `closeRedis`.
 */
export const openQueueingRedis = (
  url: string,
  purpose: string,
  reconnectDelay: (attempt: number) => number | null,
): Redis =>
  reconnectOnDatabaseRefusal(
    connectTo(url, {
      connectionName: `carillon-${purpose}`,
      maxRetriesPerRequest: null,
      disconnectTimeout: DISCONNECT_TIMEOUT_MS,
      retryStrategy: reconnectDelay,
      socketTimeout: QUEUE_SILENCE_TIMEOUT_MS,
    }),
  );

/** Resolves when the connection is ready; rejects after `deadlineMs`. */
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

/** Closes a connection; waits at most a second for pending responses. */
export async function closeRedis(redis: Redis | Cluster): Promise<void> {
  if (redis.status === 'ready') {
    // The client of a cluster may wait for a lost node for ever.
    await withinDeadline(COMMAND_TIMEOUT_MS, redis.quit(), () => 'OK').catch(() => undefined);
  }
  if (redis.status !== 'end') redis.disconnect();
}

/** The reason of each outage that lasts. */
const outages = new WeakMap<object, Error>();

/** Logs the start and the end of an outage, and not every attempt to reconnect. */
export function reportTransitions(redis: Redis | Cluster, name: string): void {
  const logger = new Logger(name);
  redis.on('error', (error: Error) => {
    if (!outages.has(redis)) logger.warn(`Redis is unreachable: ${error.message}`);
    outages.set(redis, error);
  });
  redis.on('ready', () => {
    if (outages.delete(redis)) logger.log('Redis is back');
  });
}

/**
 * Settles like the answer of a command. During an outage it rejects with its reason, such as a wrong password: the client
 * only says that there is no connection.
 */
export async function orOutage<Answer>(redis: object, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw outages.get(redis) ?? error;
  }
}

/**
 * Measures the time of the answered commands of a connection, one at a time: commands that are sent meanwhile, such as those
 * of the same pipeline, are not measured, so that a pipeline costs one observation.
 */
export function measureCalls(redis: Redis | Cluster): void {
  const send: Cluster['sendCommand'] = redis.sendCommand.bind(redis);
  let isMeasuring = false;
  const measured: Cluster['sendCommand'] = (command, ...more) => {
    const answer = send(command, ...more);
    if (isMeasuring) return answer;
    isMeasuring = true;
    const startedAt = performance.now();
    command.promise.then(
      () => {
        isMeasuring = false;
        observeStoreCall('redis', command.name, startedAt);
      },
      (error: unknown) => {
        isMeasuring = false;
        observeFailedStoreCall('redis', command.name, startedAt, error);
      },
    );
    return answer;
  };
  redis.sendCommand = measured;
}

const DEADLINE_MS = 2000;

/**
 * Whether Redis has rejected the database number of the URL. The connection then uses database 0, which may belong to
 * another system.
 */
const isDatabaseRefusal = (error: unknown): error is Error =>
  error instanceof Error &&
  'command' in error &&
  // The client adds the rejected command to the error.
  (error.command as { readonly name?: unknown }).name === 'select';

/**
 * Prevents that a client and its duplicates use database 0 after Redis has rejected their database number: they reconnect
 * instead.
 */
function reconnectOnDatabaseRefusal(redis: Redis): Redis {
  redis.on('error', (error) => {
    if (isDatabaseRefusal(error)) redis.disconnect(true);
  });
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (override) => reconnectOnDatabaseRefusal(duplicate(override));
  return redis;
}

/**
 * Rejects with ConfigError when the database of the URL in `variable` does not exist. Resolves when it exists, and when
 * the server does not answer within two seconds: programs start without Redis. A cluster, which has several URLs, has no
 * databases to choose from.
 */
export async function refuseMissingDatabase(
  [url = '', ...otherNodes]: readonly string[],
  variable: string,
): Promise<void> {
  if (otherNodes.length > 0) return;
  const redis = connectTo(url, {
    lazyConnect: true,
    connectTimeout: DEADLINE_MS,
    commandTimeout: DEADLINE_MS,
    disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  const { db = 0 } = redis.options;
  if (db === 0) return;
  let refusal: string | null = null;
  redis.on('error', (error) => {
    if (isDatabaseRefusal(error)) refusal = error.message;
  });
  await redis.connect().catch(() => undefined);
  redis.disconnect();
  if (refusal !== null) {
    throw new ConfigError([`${variable}: there is no database ${db} (Redis says: ${refusal})`]);
  }
}

/** Rejects like `refuseMissingDatabase` for the Redis of a program and that of its queues, which may be the same. */
export async function refuseMissingDatabases({
  redis,
  queueRedis,
}: {
  readonly redis: { readonly url: string };
  readonly queueRedis: { readonly urls: readonly string[]; readonly variable: string };
}): Promise<void> {
  const variable = 'REDIS_URL';
  const checks = [refuseMissingDatabase([redis.url], variable)];
  if (queueRedis.variable !== variable) {
    checks.push(refuseMissingDatabase(queueRedis.urls, queueRedis.variable));
  }
  await Promise.all(checks);
}
