import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unprivilegedAccount } from '../../deploy/local/server-account.js';
import { freePorts } from './free-ports.js';

/** Whether this machine has PgBouncer. */
export const hasPgBouncer = spawnSync('pgbouncer', ['--version']).status === 0;

/** A PgBouncer in front of a database. */
export interface PgBouncer {
  readonly url: string;
  /** Ends all its connections, and starts again on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts PgBouncer in transaction mode with `servers` connections to the server. */
export async function startPgBouncer(databaseUrl: string, servers: number): Promise<PgBouncer> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  const [own = 0] = await freePorts(1);
  const folder = await mkdtemp(path.join(tmpdir(), 'carillon-pgbouncer-'));
  await chmod(folder, 0o755);
  const file = path.join(folder, 'pgbouncer.ini');
  const user = `user=${decodeURIComponent(username)} password='${decodeURIComponent(password)}'`;
  await writeFile(
    file,
    `[databases]
${pathname.slice(1)} = host=${hostname} port=${port} ${user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${servers}
max_client_conn = 200
`,
  );
  // Files of a test run are private, and the program runs as another account.
  await chmod(file, 0o644);
  // It refuses to run as root.
  const account = unprivilegedAccount();
  const ids = account === undefined ? {} : { uid: account.uid, gid: account.gid };
  const start = () => spawn('pgbouncer', ['--quiet', file], { stdio: 'ignore', ...ids });
  let program = start();
  const kill = async () => {
    if (program.exitCode !== null) return;
    const ended = once(program, 'exit');
    program.kill('SIGKILL');
    await ended;
  };
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${own}`;
  return {
    url: url.href,
    restart: async () => {
      await kill();
      program = start();
    },
    stop: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
