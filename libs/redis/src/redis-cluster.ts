import { Cluster, Redis, type RedisOptions } from 'ioredis';
import {
  COMMAND_TIMEOUT_MS,
  CONNECT_TIMEOUT_MS,
  DISCONNECT_TIMEOUT_MS,
  closeRedis,
  reconnectDelayMs,
  reportTransitions,
  untilReady,
} from './redis.js';
import type { BlockableConnection, RedisServers } from './redis-servers.js';

/**
 * A command is sent again this often when its node is away, or has handed the slot on: with the pauses
 * below, for about half a second.
 */
const MOST_ATTEMPTS = 8;
const RETRY_MS = 60;

/** How old the knowledge of who has which slot may get when no node corrects it. */
const REFRESH_SLOTS_MS = 5000;

/** Opens the cluster that the addresses are nodes of; the others are found through them. */
export function openCluster(
  urls: readonly string[],
  purpose: string,
  blockedTimeoutMs: number,
): RedisServers {
  const nodes = urls.map((url) => nodeAt(url));
  const shared = { ...accessOf(urls[0] ?? ''), ...timeouts, connectionName: `carillon-${purpose}` };
  // Without automatic pipelining: a pipeline that meets a slot on the move is sent whole to the node
  // that takes the slot over, which answers that it has no keys that have not arrived yet.
  const cluster = new Cluster(nodes, {
    enableOfflineQueue: false,
    clusterRetryStrategy: reconnectDelayMs,
    maxRedirections: MOST_ATTEMPTS,
    retryDelayOnFailover: RETRY_MS,
    retryDelayOnClusterDown: RETRY_MS,
    retryDelayOnTryAgain: RETRY_MS,
    slotsRefreshInterval: REFRESH_SLOTS_MS,
    // As the nodes name each other: a certificate may be for the name.
    dnsLookup: (address, callback) => callback(null, address),
    redisOptions: { ...shared, commandTimeout: COMMAND_TIMEOUT_MS },
  });
  reportTransitions(cluster, `Redis Cluster ${purpose}`);
  const blocked = {
    ...shared,
    connectionName: `carillon-${purpose}-blocked`,
    commandTimeout: blockedTimeoutMs,
  };
  return {
    isCluster: true,
    commands: cluster,
    untilReady: (deadlineMs) => untilReady(cluster, deadlineMs),
    blockableFor: (key) => new OwnerConnection(cluster, key, blocked),
    close: () => closeRedis(cluster),
  };
}

/** Without what decides the types of replies, which is left as it is everywhere. */
type NodeOptions = Omit<RedisOptions, 'replyMapping'>;

const timeouts = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  disconnectTimeout: DISCONNECT_TIMEOUT_MS,
  maxRetriesPerRequest: 0,
};

const DEFAULT_PORT = 6379;

const nodeAt = (url: string): { host: string; port: number } => {
  const { hostname, port } = new URL(url);
  // An IPv6 address has brackets in a URL only.
  return { host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port || DEFAULT_PORT) };
};

/** What all nodes have in common of their addresses. */
function accessOf(url: string): NodeOptions {
  const { protocol, username, password } = new URL(url);
  return {
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: {} }),
  };
}

/** A connection to whichever node has the slot of a key; a failed one is replaced by the next call. */
class OwnerConnection implements BlockableConnection {
  #redis: Redis | undefined;
  #isClosed = false;

  constructor(
    private readonly cluster: Cluster,
    private readonly key: string,
    private readonly options: NodeOptions,
  ) {}

  async run<Result>(work: (redis: Redis) => Promise<Result>): Promise<Result> {
    try {
      return await work(this.#redis ?? (await this.#open()));
    } catch (error) {
      this.#drop();
      if (!this.#isClosed) this.cluster.refreshSlotsCache();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#drop();
  }

  async #open(): Promise<Redis> {
    const slot = await this.cluster.cluster('KEYSLOT', this.key);
    const node = this.cluster.slots[slot]?.[0];
    if (node === undefined || this.#isClosed) throw new Error(`No node has slot ${slot}`);
    const end = node.lastIndexOf(':');
    const address = { host: node.slice(0, end), port: Number(node.slice(end + 1)) };
    const redis = new Redis({
      ...this.options,
      ...address,
      lazyConnect: true,
      retryStrategy: () => null,
    });
    // Whoever runs something on the connection hears of it; the log has it from the cluster.
    redis.on('error', () => undefined);
    this.#redis = redis;
    await redis.connect();
    return redis;
  }

  #drop(): void {
    this.#redis?.disconnect();
    this.#redis = undefined;
  }
}
