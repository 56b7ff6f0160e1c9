import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openRedis, closeRedis } from '#platform/redis';
import { eventually } from './eventually.js';
import { freePorts } from './free-ports.js';
import { ThrowawayRedis } from './throwaway-redis.js';

const GROUP = 'main';
const SENTINELS = 3;
const DOWN_AFTER_MS = 500;

/** Whether this machine has the program of the Sentinels. */
export const hasSentinel = spawnSync('redis-server', ['--version']).error === undefined;

/** A Redis primary with a replica, and three Sentinels that replace the primary when it is down. */
export class SentinelGroup {
  private constructor(
    readonly url: string,
    private readonly servers: readonly [primary: ThrowawayRedis, replica: ThrowawayRedis],
    private readonly sentinels: readonly ChildProcess[],
    private readonly folder: string,
  ) {}

  static async start(): Promise<SentinelGroup> {
    const servers = [await ThrowawayRedis.start(), await ThrowawayRedis.start()] as const;
    const [{ password, port }] = [new URL(servers[0].url)];
    for (const server of servers) {
      await server.run(async (redis) => {
        await redis.acl('SETUSER', 'default', `>${password}`);
        await redis.config('SET', 'masterauth', password);
        await redis.config('SET', 'repl-diskless-sync-delay', '0');
      });
    }
    await servers[1].run((redis) => redis.replicaof('127.0.0.1', port));
    const ports = await freePorts(SENTINELS);
    const folder = await mkdtemp(path.join(tmpdir(), 'carillon-sentinel-'));
    const sentinels = await Promise.all(
      ports.map(async (own) => {
        const file = path.join(folder, `${own}.conf`);
        await writeFile(file, configuration(own, port, password));
        return spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' });
      }),
    );
    const hosts = ports.map((own) => `127.0.0.1:${own}`);
    const group = new SentinelGroup(
      `redis+sentinel://default:${password}@${hosts.join()}/${GROUP}`,
      servers,
      sentinels,
      folder,
    );
    await Promise.all(hosts.map((host) => group.#isComplete(host)));
    return group;
  }

  /** Ends the primary. The Sentinels make the replica the primary. */
  killPrimary(): Promise<void> {
    return this.servers[0].kill();
  }

  async remove(): Promise<void> {
    for (const sentinel of this.sentinels) sentinel.kill('SIGKILL');
    await Promise.all(this.servers.map((server) => server.remove()));
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Resolves when the Sentinel knows the replica and the others. */
  async #isComplete(host: string): Promise<void> {
    const sentinel = openRedis(`redis://${host}`, 'test');
    try {
      await eventually(async () => {
        const answer = (await sentinel.call('SENTINEL', 'MASTER', GROUP)) as string[];
        const value = (name: string) => Number(answer[answer.indexOf(name) + 1]);
        if (value('num-slaves') < 1 || value('num-other-sentinels') < SENTINELS - 1) {
          throw new Error('The group is not complete');
        }
      }, 20_000);
    } finally {
      await closeRedis(sentinel);
    }
  }
}

const configuration = (port: number, primary: string, password: string): string => `
port ${port}
bind 127.0.0.1
sentinel monitor ${GROUP} 127.0.0.1 ${primary} 2
sentinel auth-pass ${GROUP} ${password}
sentinel down-after-milliseconds ${GROUP} ${DOWN_AFTER_MS}
sentinel failover-timeout ${GROUP} 3000
`;
