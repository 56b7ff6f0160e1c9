import { type Cluster, Redis } from 'ioredis';
import { type NodeOptions, nodeOptions, openRedisCluster } from './redis-cluster.js';
import { closeRedis, openRedis, timeoutsOf, untilReady } from './redis.js';

/** Commands of a single server and of a cluster. All keys of a command must be in one slot. */
export type RedisCommands = Pick<
  Redis,
  'eval' | 'evalsha' | 'exists' | 'hmget' | 'multi' | 'set' | 'xreadBuffer'
>;

/** An exclusive connection for blocking commands to the server of a key. */
export interface BlockingConnection {
  /**
   * Runs work with the connection, and opens it first if necessary. Rejects with the error of the work, or when the server
   * is down; the next call then locates the server again.
   */
  run<Result>(work: (redis: Redis) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** One server or a cluster. A command fails within about a second when its server is down. */
export interface RedisServers {
  readonly isCluster: boolean;
  readonly commands: RedisCommands;
  /** The number of connects so far. After a change, another server may answer. */
  readonly connectCount: number;
  /** Resolves when commands are accepted; rejects after `deadlineMs`. */
  untilReady(deadlineMs: number): Promise<void>;
  blockingConnectionFor(key: string): BlockingConnection;
  close(): Promise<void>;
}

/** The timeout of a blocking command, longer than any block time. */
const BLOCKED_TIMEOUT_MS = 5000;

/** Connects to the server of one URL, or to the cluster of several URLs. The caller closes it. */
export function openRedisServers(urls: readonly string[], purpose: string): RedisServers {
  const [url = '', ...others] = urls;
  return others.length > 0 ? openCluster(urls, purpose) : openServer(url, purpose);
}

function openServer(url: string, purpose: string): RedisServers {
  const commands = openRedis(url, purpose, { enableAutoPipelining: true });
  let connectCount = 0;
  commands.on('ready', () => (connectCount += 1));
  return {
    isCluster: false,
    commands,
    get connectCount() {
      return connectCount;
    },
    untilReady: (deadlineMs) => untilReady(commands, deadlineMs),
    blockingConnectionFor: () => {
      const redis = openRedis(url, `${purpose}-blocked`, { commandTimeout: BLOCKED_TIMEOUT_MS });
      return { run: (work) => work(redis), close: () => closeRedis(redis) };
    },
    close: () => closeRedis(commands),
  };
}

/** Connects to the cluster of these nodes, which know the others. */
function openCluster(urls: readonly string[], purpose: string): RedisServers {
  const cluster = openRedisCluster(urls, purpose);
  const blocked = {
    ...nodeOptions(urls, purpose),
    connectionName: `carillon-${purpose}-blocked`,
    ...timeoutsOf(BLOCKED_TIMEOUT_MS),
  };
  let connectCount = 0;
  // A new or returning node.
  cluster.on('+node', () => (connectCount += 1));
  return {
    isCluster: true,
    commands: cluster,
    get connectCount() {
      return connectCount;
    },
    untilReady: (deadlineMs) => untilReady(cluster, deadlineMs),
    blockingConnectionFor: (key) => new SlotConnection(cluster, key, blocked),
    close: () => closeRedis(cluster),
  };
}

/** A connection to the node with the slot of a key. The next call replaces a failed connection. */
class SlotConnection implements BlockingConnection {
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
    // The caller of `run` receives the error, and the cluster logs it.
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
