import { Cluster, type ClusterOptions, type Redis, type RedisOptions } from 'ioredis';
import { redisAddress } from '#platform/config';
import {
  COMMAND_TIMEOUT_MS,
  CONNECT_TIMEOUT_MS,
  DISCONNECT_TIMEOUT_MS,
  openQueueingRedis,
  measureCalls,
  openRedis,
  QUEUE_SILENCE_TIMEOUT_MS,
  reconnectDelayMs,
  reportTransitions,
  timeoutsOf,
  tlsOf,
} from './redis.js';

/** A connection to a single server or to a cluster. All keys of a command or a transaction must be in one slot. */
export type RedisOrCluster = Redis | Cluster;

export type NodeOptions = Omit<RedisOptions, 'replyMapping'>;

/**
 * The attempts of a command whose node is down or has moved the slot: with the delays below for about half a second.
 */
const MAX_ATTEMPTS = 8;
const RETRY_MS = 60;

/** The interval of refreshes of the slot table. */
const REFRESH_SLOTS_MS = 5000;

/** The options of each connection to a node of the cluster: nodes share the credentials and the protocol. */
export const nodeOptions = ([url = '']: readonly string[], purpose: string): NodeOptions => ({
  ...accessOf(url),
  connectTimeout: CONNECT_TIMEOUT_MS,
  disconnectTimeout: DISCONNECT_TIMEOUT_MS,
  maxRetriesPerRequest: 0,
  connectionName: `carillon-${purpose}`,
});

/**
 * Connects to the cluster of these nodes, which know the others. A command fails within about a second when its node is
 * down.
 *
 * The caller closes it with `closeRedis`.
 */
export function openRedisCluster(urls: readonly string[], purpose: string): Cluster {
  // Without automatic pipelining: during a migration of a slot a whole pipeline would go to the new node, which lacks the
  // keys that have not arrived yet.
  const cluster = connectTo(urls, {
    enableOfflineQueue: false,
    clusterRetryStrategy: reconnectDelayMs,
    redisOptions: {
      ...nodeOptions(urls, purpose),
      ...timeoutsOf(COMMAND_TIMEOUT_MS),
    },
  });
  reportTransitions(cluster, `Redis Cluster ${purpose}`);
  measureCalls(cluster);
  return cluster;
}

/** `openRedis` for one URL, `openRedisCluster` for several. Commands to a single server share round trips. */
export function openRedisOrCluster(urls: readonly string[], purpose: string): RedisOrCluster {
  const [url = '', ...others] = urls;
  if (others.length > 0) return openRedisCluster(urls, purpose);
  return openRedis(url, purpose, { enableAutoPipelining: true });
}

/** `openQueueingRedis` for one URL; the same to the cluster of several. */
export function openQueueingRedisOrCluster(
  urls: readonly string[],
  purpose: string,
  reconnectDelay: (attempt: number) => number | null,
): RedisOrCluster {
  const [url = '', ...others] = urls;
  if (others.length === 0) return openQueueingRedis(url, purpose, reconnectDelay);
  const cluster = connectTo(urls, {
    clusterRetryStrategy: reconnectDelay,
    redisOptions: {
      ...nodeOptions(urls, purpose),
      maxRetriesPerRequest: null,
      socketTimeout: QUEUE_SILENCE_TIMEOUT_MS,
    },
  });
  // Without a listener they would be thrown.
  cluster.on('error', () => undefined);
  return cluster;
}

interface ConnectOptions extends Pick<
  ClusterOptions,
  'clusterRetryStrategy' | 'enableOfflineQueue'
> {
  readonly redisOptions: NodeOptions;
}

const connectTo = (urls: readonly string[], options: ConnectOptions): Cluster =>
  new Cluster(urls.map(redisAddress), {
    ...options,
    maxRedirections: MAX_ATTEMPTS,
    retryDelayOnFailover: RETRY_MS,
    retryDelayOnClusterDown: RETRY_MS,
    retryDelayOnTryAgain: RETRY_MS,
    slotsRefreshInterval: REFRESH_SLOTS_MS,
    // Without a lookup: a certificate may be for the host name.
    dnsLookup: (address, callback) => callback(null, address),
  });

function accessOf(url: string): NodeOptions {
  const { protocol, username, password } = new URL(url);
  return {
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: tlsOf(url) }),
  };
}
