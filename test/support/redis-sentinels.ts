import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openRedis, closeRedis } from '#platform/redis';
import { eventually } from './eventually.js';
import { freePorts } from './free-ports.js';
import {
  encryptedAddress,
  portLines,
  type RedisEncryption,
  writeRedisEncryption,
} from './redis-encryption.js';

const GROUP = 'main';
const SENTINELS = 3;
const DOWN_AFTER_MS = 500;

/** Whether this machine has the program of the Sentinels. */
export const hasSentinel = spawnSync('redis-server', ['--version']).error === undefined;

interface GroupPlace {
  readonly folder: string;
  readonly password: string;
  /** Null without TLS. */
  readonly encryption: RedisEncryption | null;
  readonly primary: number;
}

/** A Redis primary with a replica, and three Sentinels that replace the primary when it is down. */
export class SentinelGroup {
  readonly #processes: ChildProcess[] = [];

  private constructor(
    private readonly place: GroupPlace,
    private readonly sentinels: readonly number[],
  ) {}

  /** With `isEncrypted` all connections use TLS, also those between the servers. */
  static async start({ isEncrypted = false } = {}): Promise<SentinelGroup> {
    const folder = await mkdtemp(path.join(tmpdir(), 'carillon-sentinel-'));
    const [primary = 0, replica = 0, ...sentinels] = await freePorts(2 + SENTINELS);
    const encryption = isEncrypted ? await writeRedisEncryption(folder) : null;
    const password = randomBytes(12).toString('hex');
    const group = new SentinelGroup({ folder, password, encryption, primary }, sentinels);
    await group.#run(primary, group.#serverLines(primary));
    await group.#run(replica, [...group.#serverLines(replica), `replicaof 127.0.0.1 ${primary}`]);
    await group.#untilPrimary();
    for (const port of sentinels) await group.#run(port, group.#sentinelLines(port), '--sentinel');
    await Promise.all(sentinels.map((port) => group.#isComplete(port)));
    return group;
  }

  get url(): string {
    const { password, encryption } = this.place;
    const hosts = this.sentinels.map((port) => `127.0.0.1:${port}`);
    const url = `redis+sentinel://default:${password}@${hosts.join()}/${GROUP}`;
    return encryptedAddress(url, encryption);
  }

  /** Ends the primary. The Sentinels make the replica the primary. */
  async killPrimary(): Promise<void> {
    const [primary] = this.#processes;
    if (primary === undefined || primary.exitCode !== null) return;
    const ended = once(primary, 'exit');
    primary.kill();
    await ended;
  }

  async remove(): Promise<void> {
    for (const process of this.#processes) process.kill('SIGKILL');
    await rm(this.place.folder, { recursive: true, force: true });
  }

  async #run(port: number, lines: readonly string[], ...words: string[]): Promise<void> {
    const file = path.join(this.place.folder, `${port}.conf`);
    // Otherwise a replica writes its first copy of the data into the working directory.
    await writeFile(file, `${[`dir ${this.place.folder}`, ...lines].join('\n')}\n`);
    this.#processes.push(spawn('redis-server', [file, ...words], { stdio: 'ignore' }));
  }

  #serverLines(port: number): string[] {
    const { password, encryption } = this.place;
    return [
      ...portLines(port, encryption),
      'bind 127.0.0.1',
      `requirepass ${password}`,
      `masterauth ${password}`,
      'repl-diskless-sync-delay 0',
      'save ""',
    ];
  }

  #sentinelLines(port: number): string[] {
    const { password, encryption, primary } = this.place;
    return [
      ...portLines(port, encryption),
      'bind 127.0.0.1',
      `sentinel monitor ${GROUP} 127.0.0.1 ${primary} 2`,
      `sentinel auth-pass ${GROUP} ${password}`,
      `sentinel down-after-milliseconds ${GROUP} ${DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${GROUP} 3000`,
    ];
  }

  #untilPrimary(): Promise<void> {
    const { password, primary } = this.place;
    return this.#ask(`redis://default:${password}@127.0.0.1:${primary}`, async (call) => {
      await call('PING');
    });
  }

  /** Resolves when the Sentinel knows the replica and the others. */
  #isComplete(port: number): Promise<void> {
    return this.#ask(`redis://127.0.0.1:${port}`, async (call) => {
      const answer = (await call('SENTINEL', 'MASTER', GROUP)) as string[];
      const value = (name: string) => Number(answer[answer.indexOf(name) + 1]);
      if (value('num-slaves') < 1 || value('num-other-sentinels') < SENTINELS - 1) {
        throw new Error('The group is not complete');
      }
    });
  }

  /** Repeats a check of a server until it succeeds. */
  async #ask(
    url: string,
    check: (call: (command: string, ...words: string[]) => Promise<unknown>) => Promise<void>,
  ): Promise<void> {
    const redis = openRedis(encryptedAddress(url, this.place.encryption), 'test');
    try {
      await eventually(() => check((command, ...words) => redis.call(command, ...words)), 20_000);
    } finally {
      await closeRedis(redis);
    }
  }
}
