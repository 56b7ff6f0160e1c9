import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { childEnvironment } from '#platform/config';
import type { Redis } from '#platform/redis';
import type { OwnProcess } from '../../deploy/local/own-process.js';
import { startServer } from '../../deploy/local/private-server.js';
import { pingRedis } from '../../deploy/local/redis-server.js';
import { findRedisProgram, type NativeRedis } from '../../deploy/local/redis-programs.js';
import { eventually } from './eventually.js';
import { freePorts } from './free-ports.js';
import {
  encryptedAddress,
  portLines,
  type RedisEncryption,
  writeRedisEncryption,
} from './redis-encryption.js';
import { silence, withRedis } from './throwaway-redis.js';

const MASTERS = 3;
const SLOTS = 16_384;
const START_DEADLINE_MS = 20_000;
const MOVE_TIMEOUT_MS = 5000;

/** The time after which a node without an answer counts as failed. */
const NODE_TIMEOUT_MS = 1000;

interface NodePlace {
  readonly home: string;
  readonly port: number;
  readonly busPort: number;
  readonly password: string;
  /** Null without TLS. */
  readonly encryption: RedisEncryption | null;
}

/** A Redis Cluster of one test: three masters, optionally with a replica of each, without persistence. A test can kill nodes and move slots. */
export class RedisCluster {
  private constructor(
    private readonly folder: string,
    private readonly program: NativeRedis,
    private readonly places: readonly NodePlace[],
    private readonly servers: OwnProcess[],
  ) {}

  /**
   * With `isEncrypted` all connections use TLS, also those between the nodes. With `hasReplicas` a replica takes the place
   * of a killed master.
   */
  static async start({ isEncrypted = false, hasReplicas = false } = {}): Promise<RedisCluster> {
    const program = await findRedisProgram(process.cwd(), silence);
    if (program.kind !== 'native') throw new Error('A cluster needs a native Redis');
    const folder = await mkdtemp(path.join(tmpdir(), 'carillon-redis-cluster-'));
    const nodes = hasReplicas ? 2 * MASTERS : MASTERS;
    const ports = await freePorts(2 * nodes);
    const password = randomBytes(12).toString('hex');
    const encryption = isEncrypted ? await writeRedisEncryption(folder) : null;
    const places = Array.from({ length: nodes }, (_, node) => ({
      home: path.join(folder, String(node)),
      port: ports[node] ?? 0,
      busPort: ports[nodes + node] ?? 0,
      password,
      encryption,
    }));
    const servers = await Promise.all(places.map((place) => startNode(program, place)));
    const cluster = new RedisCluster(folder, program, places, servers);
    await cluster.#join();
    return cluster;
  }

  get urls(): string[] {
    return this.places.map(urlOf);
  }

  get nodes(): number[] {
    return this.places.map((_, node) => node);
  }

  run<Result>(node: number, work: (redis: Redis) => Promise<Result>): Promise<Result> {
    return withRedis(urlOf(this.#place(node)), work);
  }

  /** The master with the slot of a key, according to a node. */
  async nodeOf(key: string, witness = 0): Promise<number> {
    return this.run(witness, async (redis) => {
      const slot = await redis.cluster('KEYSLOT', key);
      const ranges = await redis.cluster('SLOTS');
      const range = ranges.find(([first, last]) => first <= slot && slot <= last);
      return this.places.findIndex(({ port }) => port === range?.[2]?.[1]);
    });
  }

  async kill(node: number): Promise<void> {
    await this.servers[node]?.stop();
  }

  /** Restarts a killed node: it has its slots again, without data. */
  async startAgain(node: number): Promise<void> {
    this.servers[node] = await startNode(this.program, this.#place(node));
    await this.#untilWhole();
  }

  /** Moves the slot of a key, one key after another; waits for `afterKey` after each. */
  async moveSlot(key: string, to: number, afterKey: () => Promise<void>): Promise<void> {
    const from = await this.nodeOf(key);
    const [fromId, toId] = [await this.#idOf(from), await this.#idOf(to)];
    const slot = await this.run(from, (redis) => redis.cluster('KEYSLOT', key));
    await this.run(to, (redis) => redis.cluster('SETSLOT', slot, 'IMPORTING', fromId));
    await this.run(from, async (redis) => {
      await redis.cluster('SETSLOT', slot, 'MIGRATING', toId);
      for (;;) {
        const [next] = (await redis.cluster('GETKEYSINSLOT', slot, 1)) as string[];
        if (next === undefined) break;
        await this.#migrate(redis, next, this.#place(to));
        await afterKey();
      }
    });
    for (const node of [
      to,
      from,
      ...this.nodes.filter((other) => other !== to && other !== from),
    ]) {
      await this.run(node, (redis) => redis.cluster('SETSLOT', slot, 'NODE', toId));
    }
  }

  async remove(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
    await rm(this.folder, { recursive: true, force: true });
  }

  #migrate(redis: Redis, key: string, { port, password }: NodePlace): Promise<unknown> {
    const access = ['AUTH', password, 'KEYS', key];
    return redis.call('MIGRATE', '127.0.0.1', port, '', 0, MOVE_TIMEOUT_MS, ...access);
  }

  async #join(): Promise<void> {
    for (const node of this.nodes.slice(0, MASTERS)) {
      const [first, next] = [node, node + 1].map((part) => Math.floor((SLOTS * part) / MASTERS));
      await this.run(node, async (redis) => {
        await redis.call('CLUSTER', 'SET-CONFIG-EPOCH', node + 1);
        await redis.call('CLUSTER', 'ADDSLOTSRANGE', first ?? 0, (next ?? 0) - 1);
      });
    }
    const { port, busPort } = this.#place(0);
    for (const node of this.nodes.slice(1)) {
      await this.run(node, (redis) => redis.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort));
    }
    await this.#untilWhole();
    for (const replica of this.nodes.slice(MASTERS)) await this.#replicate(replica);
  }

  /** Resolves when the replica has the data of its master. */
  async #replicate(replica: number): Promise<void> {
    const master = await this.#idOf(replica - MASTERS);
    await this.run(replica, (redis) => redis.call('CLUSTER', 'REPLICATE', master));
    await eventually(async () => {
      const info = await this.run(replica, (redis) => redis.info('replication'));
      if (!info.includes('master_link_status:up')) throw new Error(`Node ${replica} has no master`);
    });
  }

  /** Resolves when every node knows all nodes and reports that all slots are served. */
  async #untilWhole(): Promise<void> {
    const expected = [
      'cluster_state:ok',
      `cluster_slots_ok:${SLOTS}`,
      `cluster_known_nodes:${this.places.length}`,
    ];
    await eventually(async () => {
      for (const node of this.nodes) {
        const info = (await this.run(node, (redis) => redis.call('CLUSTER', 'INFO'))) as string;
        const missing = expected.filter((line) => !info.includes(line));
        if (missing.length > 0) throw new Error(`Node ${node} lacks ${missing.join(', ')}`);
      }
    });
  }

  async #idOf(node: number): Promise<string> {
    return (await this.run(node, (redis) => redis.call('CLUSTER', 'MYID'))) as string;
  }

  #place(node: number): NodePlace {
    const place = this.places[node];
    if (!place) throw new Error(`There is no node ${node}`);
    return place;
  }
}

const urlOf = ({ port, password, encryption }: NodePlace): string =>
  encryptedAddress(`redis://default:${password}@127.0.0.1:${port}`, encryption);

async function startNode(program: NativeRedis, place: NodePlace): Promise<OwnProcess> {
  const { home, port, busPort, password, encryption } = place;
  await mkdir(home, { recursive: true });
  const configuration = [
    'bind 127.0.0.1',
    ...portLines(port, encryption),
    `tls-cluster ${encryption === null ? 'no' : 'yes'}`,
    `dir ${home}`,
    `requirepass ${password}`,
    `masterauth ${password}`,
    'save ""',
    'appendonly no',
    'cluster-enabled yes',
    'cluster-config-file nodes.conf',
    `cluster-port ${busPort}`,
    `cluster-node-timeout ${NODE_TIMEOUT_MS}`,
    'cluster-require-full-coverage no',
  ];
  return startServer({
    name: `Redis Cluster node on port ${port}`,
    command: program.command,
    args: ['-'],
    input: `${configuration.join('\n')}\n`,
    cwd: home,
    env: childEnvironment(program.environment),
    home,
    stopSignal: 'SIGTERM',
    graceMs: 5000,
    isReady: () =>
      pingRedis(urlOf(place)).then(
        () => true,
        () => false,
      ),
    deadlineMs: START_DEADLINE_MS,
  });
}
