import { chownSync } from 'node:fs';
import {
  appendFile,
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { applyMigrations, Database } from '#platform/database';
import { startPostgres } from '../../deploy/local/postgres-server.js';
import type { PrivateServer } from '../../deploy/local/private-server.js';
import { ownerOf } from '../../deploy/local/server-account.js';
import { eventually } from './eventually.js';
import { openTestDatabase, type TestDatabase } from './test-stores.js';
import { silence } from './throwaway-redis.js';

const DEADLINE_MS = 60_000;

/**
 * A PostgreSQL primary and its standby, which confirms each commit until it falls behind. A test can crash the primary and
 * promote the standby.
 */
export class PostgresPair {
  private constructor(
    private readonly folder: string,
    private readonly primary: PrivateServer,
    private readonly standby: PrivateServer,
  ) {}

  static async start(): Promise<PostgresPair> {
    const folder = await mkdtemp(path.join(tmpdir(), 'carillon-postgres-pair-'));
    // As root, the servers run as another account, which must enter the folder.
    await chmod(folder, 0o711);
    const [first, second] = ['first', 'second'].map((name) => path.join(folder, name));
    if (first === undefined || second === undefined) throw new Error('Two folders are needed');
    const original = await startIn(first);
    await applyMigrations(original.url);
    await original.stop();
    await copyServer(first, second);
    const primary = await startIn(first);
    await makeStandby(second, primary.url);
    const standby = await startIn(second);
    const pair = new PostgresPair(folder, primary, standby);
    await pair.#isConfirming();
    return pair;
  }

  /** The address with both servers, the standby first. */
  get url(): string {
    const [first, second] = [new URL(this.primary.url), new URL(this.standby.url)];
    return first.href.replace(first.host, `${second.host},${first.host}`);
  }

  /** The address of the standby alone. */
  get standbyUrl(): string {
    return this.standby.url;
  }

  /** The migrated database, without the demo organisation. */
  open(): TestDatabase {
    return openTestDatabase(this.url);
  }

  /** From now on, commits do not wait for the standby, and it gets none of them. */
  async fallBehind(): Promise<void> {
    await run(this.primary.url, `ALTER SYSTEM SET synchronous_standby_names = ''`);
    await run(this.primary.url, 'SELECT pg_reload_conf()');
    await run(this.standby.url, `ALTER SYSTEM SET primary_conninfo = ''`);
    await run(this.standby.url, 'SELECT pg_reload_conf()');
    await eventually(async () => {
      const rows = await run(this.primary.url, 'SELECT 1 FROM pg_stat_replication');
      if (rows.length > 0) throw new Error('The standby still follows');
    }, DEADLINE_MS);
  }

  /** Ends the primary without a shutdown: what only the primary has is lost. */
  async crashPrimary(): Promise<void> {
    const file = path.join(this.folder, 'first', 'data', 'postmaster.pid');
    const [pid] = (await readFile(file, 'utf8')).split('\n');
    process.kill(Number(pid), 'SIGQUIT');
    await this.primary.stop();
  }

  /** Makes the standby the primary. */
  async promote(): Promise<void> {
    await run(this.standby.url, 'SELECT pg_promote()');
  }

  async remove(): Promise<void> {
    await this.standby.stop();
    await this.primary.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** From now on, a commit succeeds after the standby has stored it. */
  async #isConfirming(): Promise<void> {
    await run(this.primary.url, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await run(this.primary.url, 'SELECT pg_reload_conf()');
    await eventually(async () => {
      const text = `SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'`;
      const rows = await run(this.primary.url, text);
      if (rows.length === 0) throw new Error('The standby does not follow');
    }, DEADLINE_MS);
  }
}

/** Copies the files of a stopped server for a server with another port. */
async function copyServer(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o711);
  await cp(path.join(from, 'password'), path.join(to, 'password'));
  const [data, copy] = [path.join(from, 'data'), path.join(to, 'data')];
  await cp(data, copy, { recursive: true, verbatimSymlinks: true });
  await chmod(copy, 0o700);
}

/** Turns a copy into a standby of the server at `url`, owned by the account of the servers. */
async function makeStandby(home: string, url: string): Promise<void> {
  const { hostname, port, username, password } = new URL(url);
  const data = path.join(home, 'data');
  const source = `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`;
  await appendFile(path.join(data, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
  await writeFile(path.join(data, 'standby.signal'), '');
  const account = ownerOf(path.join(path.dirname(home), 'first', 'data'));
  if (account !== undefined) await ownAll(data, account);
}

async function ownAll(folder: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  chownSync(folder, uid, gid);
  for (const name of await readdir(folder, { recursive: true })) {
    chownSync(path.join(folder, name), uid, gid);
  }
}

const startIn = (folder: string): Promise<PrivateServer> =>
  startPostgres({ root: process.cwd(), folder, isThrowaway: false, progress: silence });

async function run(url: string, text: string): Promise<object[]> {
  const database = new Database({ url, poolSize: 1 });
  try {
    return await database.query('of_the_test', text);
  } finally {
    await database.onApplicationShutdown();
  }
}
