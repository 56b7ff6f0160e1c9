import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { applyMigrations } from '#platform/database';
import { startPostgres } from '../../deploy/local/postgres-server.js';
import type { PrivateServer } from '../../deploy/local/private-server.js';
import { eventually } from './eventually.js';
import { openTestDatabase, type TestDatabase } from './test-stores.js';
import { silence } from './throwaway-redis.js';

const RECOVERY_DEADLINE_MS = 60_000;
/** The server ends the other connections within this time. */
const NOTICED_MS = 500;

const BACKEND = `SELECT pg_backend_pid() AS pid`;

/** A PostgreSQL of one test, which can be crashed, stopped and restarted. It keeps what it has committed. */
export class ThrowawayPostgres {
  private constructor(
    private readonly folder: string,
    private server: PrivateServer,
  ) {}

  static async start(): Promise<ThrowawayPostgres> {
    const folder = await mkdtemp(path.join(tmpdir(), 'carillon-postgres-'));
    // As root, the server runs as another account, which must enter the folder.
    await chmod(folder, 0o711);
    const server = await startIn(folder);
    await applyMigrations(server.url);
    return new ThrowawayPostgres(folder, server);
  }

  /** The migrated database, without the demo organisation. */
  open(): TestDatabase {
    return openTestDatabase(this.server.url);
  }

  /** Ends all connections, and starts again after `work`. */
  async restart(work: () => Promise<unknown>): Promise<void> {
    await this.server.stop();
    await work();
    this.server = await startIn(this.folder);
  }

  /** Kills one of its processes: it ends all connections and recovers from its log. Resolves when it answers again. */
  async crash(): Promise<void> {
    await this.#withBackend((pid) => process.kill(pid, 'SIGKILL'));
    await delay(NOTICED_MS);
    await eventually(() => this.#withBackend(() => undefined), RECOVERY_DEADLINE_MS);
  }

  /** Runs `work` with the process of an open connection. */
  async #withBackend(work: (pid: number) => unknown): Promise<void> {
    const { database, drop } = this.open();
    try {
      const [row] = await database.query<{ pid: number }>('backend', BACKEND);
      if (row === undefined) throw new Error('PostgreSQL gave no answer');
      work(row.pid);
    } finally {
      await drop();
    }
  }

  async remove(): Promise<void> {
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

const startIn = (folder: string): Promise<PrivateServer> =>
  startPostgres({ root: process.cwd(), folder, isThrowaway: false, progress: silence });
