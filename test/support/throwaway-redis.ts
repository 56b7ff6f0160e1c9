import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { closeRedis, openRedis, type Redis, untilReady } from '#platform/redis';
import type { PrivateServer } from '../../deploy/local/private-server.js';
import { startRedis } from '../../deploy/local/redis-server.js';

const READY_DEADLINE_MS = 10_000;

/** A Redis of one test, which can be flushed, paused, killed and restarted. */
export class ThrowawayRedis {
  private constructor(
    private readonly place: RedisPlace,
    private server: PrivateServer,
  ) {}

  /** `keeps`: the data survive a restart; by default they are lost. */
  static async start({ keeps = false } = {}): Promise<ThrowawayRedis> {
    const folder = await mkdtemp(path.join(tmpdir(), 'carillon-redis-'));
    const place = { folder, isThrowaway: !keeps };
    return new ThrowawayRedis(place, await startIn(place));
  }

  /** The URL, which a restart does not change. */
  get url(): string {
    return this.server.url;
  }

  /** Stops the server; data without persistence are lost. */
  async kill(): Promise<void> {
    await this.server.stop();
  }

  /** Starts the server again after `kill`. */
  async startAgain(): Promise<void> {
    this.server = await startIn(this.place);
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.startAgain();
  }

  async run<Result>(work: (redis: Redis) => Promise<Result>): Promise<Result> {
    return withRedis(this.url, work);
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.place.folder, { recursive: true, force: true });
  }
}

/** Opens a connection for the duration of some work. */
export async function withRedis<Result>(
  url: string,
  work: (redis: Redis) => Promise<Result>,
): Promise<Result> {
  const redis = openRedis(url, 'tests');
  try {
    await untilReady(redis, READY_DEADLINE_MS);
    return await work(redis);
  } finally {
    await closeRedis(redis);
  }
}

interface RedisPlace {
  readonly folder: string;
  readonly isThrowaway: boolean;
}

const startIn = (place: RedisPlace): Promise<PrivateServer> =>
  startRedis({ root: process.cwd(), ...place, progress: silence });

/** A progress display without output, because Jest prints the report. */
export const silence = {
  step: <Result>(_title: string, work: () => Promise<Result>) => work(),
  print: () => undefined,
  paint: (_format: unknown, text: string) => text,
  isLive: false,
  hasColors: false,
};
