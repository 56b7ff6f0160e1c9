import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PrivateServer } from '../../deploy/local/private-server.js';
import { startRedis } from '../../deploy/local/redis-server.js';

/** A Redis of a test's own that keeps what it was told in an append-only file. */
export class DurableRedis {
  private constructor(
    private readonly folder: string,
    private server: PrivateServer,
  ) {}

  static async start(): Promise<DurableRedis> {
    const folder = await mkdtemp(path.join(tmpdir(), 'carillon-redis-'));
    return new DurableRedis(folder, await startIn(folder));
  }

  /** Stays the same after a restart. */
  get url(): string {
    return this.server.url;
  }

  async restart(): Promise<void> {
    await this.server.stop();
    this.server = await startIn(this.folder);
  }

  async remove(): Promise<void> {
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

const startIn = (folder: string): Promise<PrivateServer> =>
  startRedis({ root: process.cwd(), folder, isThrowaway: false, progress: silence });

/** A test's report is Jest's. */
const silence = {
  step: <Result>(_title: string, work: () => Promise<Result>) => work(),
  print: () => undefined,
  paint: (_format: unknown, text: string) => text,
  isLive: false,
  hasColors: false,
};
