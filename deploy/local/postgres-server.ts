import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { childEnvironment } from '#platform/config';
import { clientOf } from '#platform/database';
import { LocalStackError } from './command.js';
import { endLeftover } from './other-processes.js';
import { rememberedPort } from './ports.js';
import { findPostgresPrograms, type PostgresPrograms } from './postgres-programs.js';
import {
  type PrivateServer,
  restartServer,
  runToEnd,
  type ServerOptions,
  type ServerPlan,
  startServer,
} from './private-server.js';
import { rememberedSecret } from './secrets.js';
import { type Account, ownerOf, reachableFolder, unprivilegedAccount } from './server-account.js';

const USER = 'carillon';
const DATABASE = 'carillon';
/** After a crash the recovery may take long. */
const START_DEADLINE_MS = 120_000;
const STOP_GRACE_MS = 20_000;

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=200',
  'timezone=UTC',
  'log_timezone=UTC',
  'jit=off',
];
/** For temporary data: no durability, which makes tests much faster. */
const THROWAWAY_SETTINGS = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'autovacuum=off',
];

interface Place {
  readonly home: string;
  readonly data: string;
  readonly account: Account | undefined;
}

/**
 * Starts the PostgreSQL of the npm package on the loopback address, with a random password.
 *
 * As root it runs as an unprivileged account. The caller removes temporary folders; `onHome` is called with the real folder,
 * which differs from `folder` if the account cannot enter that one.
 */
export async function startPostgres(
  options: ServerOptions,
  onHome: (home: string) => void = () => undefined,
): Promise<PrivateServer> {
  const place = findPlace(options);
  onHome(place.home);
  const programs = await findPostgresPrograms(options.root, place.account, options.progress);
  const password = rememberedSecret(path.join(place.home, 'password'), 'base64url');
  if (existsSync(place.data)) {
    assertSameMajor(place.data, programs.version);
    await endLeftover(path.join(place.data, 'postmaster.pid'), place.data, 'SIGINT');
  } else {
    await initialise(place, programs, password);
  }

  const port = await rememberedPort(path.join(place.home, 'port'));
  const urlOf = (database: string) =>
    `postgresql://${USER}:${password}@127.0.0.1:${port}/${database}`;
  const settings = [
    ...SETTINGS,
    ...(options.isThrowaway ? THROWAWAY_SETTINGS : []),
    `port=${port}`,
  ];
  const plan: ServerPlan = {
    name: 'PostgreSQL',
    command: programs.postgres,
    args: ['-D', place.data, ...settings.flatMap((setting) => ['-c', setting])],
    cwd: place.data,
    env: childEnvironment({ LC_ALL: 'C' }),
    home: place.home,
    account: place.account,
    // A fast shutdown: it rolls back open transactions and does not wait for clients.
    stopSignal: 'SIGINT',
    graceMs: STOP_GRACE_MS,
    isReady: () => isAnswering(urlOf('postgres')),
    deadlineMs: START_DEADLINE_MS,
  };
  const server = await startServer(plan);
  await createDatabase(urlOf('postgres'));
  return {
    url: urlOf(DATABASE),
    title: `PostgreSQL ${programs.version} on port ${port}`,
    process: server,
    spawn: () => restartServer(plan),
    stop: () => server.stop(),
  };
}

function findPlace({ folder, progress }: ServerOptions): Place {
  const account = accountFor(path.join(folder, 'data'));
  const home = reachableFolder(folder, account);
  if (home !== folder) {
    progress.print(`  ${account?.name} cannot enter ${folder}; the database is in ${home}`);
  }
  const data = path.join(home, 'data');
  return { home, data, account: accountFor(data) };
}

/**
 * The owner of existing data, so that root can start the server of another user; otherwise the unprivileged account.
 */
function accountFor(data: string): Account | undefined {
  return (existsSync(data) && ownerOf(data)) || unprivilegedAccount();
}

function assertSameMajor(data: string, version: string): void {
  const found = readFileSync(path.join(data, 'PG_VERSION'), 'utf8').trim();
  const major = version.split('.')[0];
  if (found === major) return;
  throw new LocalStackError(
    `The data in ${data} was written by PostgreSQL ${found}, and this is PostgreSQL ${major}.\n` +
      'Move that folder away to begin afresh, or load a dump that the older version has written.',
  );
}

/** Initialises the data folder under a temporary name, so that an interrupted initialisation is not used. */
async function initialise(place: Place, programs: PostgresPrograms, password: string) {
  const draft = `${place.data}.new`;
  const passwordFile = path.join(place.home, 'password.initial');
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (place.account) {
    chownSync(draft, place.account.uid, place.account.gid);
    chownSync(passwordFile, place.account.uid, place.account.gid);
  }
  try {
    await runToEnd({
      name: 'initdb',
      command: programs.initdb,
      args: [
        ['-D', draft],
        ['-U', USER, '-A', 'scram-sha-256', '--pwfile', passwordFile],
        // The same collation on every system, independent of the installed locales.
        ['-E', 'UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
        ['--no-sync', '--no-instructions'],
      ].flat(),
      cwd: draft,
      env: childEnvironment({ LC_ALL: 'C' }),
      home: place.home,
      account: place.account,
      stopSignal: 'SIGINT',
      graceMs: STOP_GRACE_MS,
    });
  } finally {
    rmSync(passwordFile);
  }
  renameSync(draft, place.data);
}

/** Whether the server accepts a sign-in and a query. */
async function isAnswering(url: string): Promise<boolean> {
  try {
    await query(url, 'SELECT 1');
    return true;
  } catch {
    return false;
  }
}

async function createDatabase(url: string): Promise<void> {
  const known = await query(url, `SELECT 1 FROM pg_database WHERE datname = '${DATABASE}'`);
  if (known === 0) await query(url, `CREATE DATABASE ${DATABASE}`);
}

/** Resolves with the number of rows. */
async function query(url: string, sql: string): Promise<number> {
  const client = clientOf(url, { connectionTimeoutMillis: 5000 });
  // The error of a broken idle connection; the next query rejects anyway.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rowCount ?? 0;
  } finally {
    await client.end();
  }
}

/** Rejects with LocalStackError if the given server does not answer. The error never contains a password. */
export async function assertPostgresAnswers(url: string): Promise<void> {
  try {
    await query(url, 'SELECT 1');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const message = error instanceof Error ? error.message : '';
    throw new LocalStackError(
      `DATABASE_URL is set, but PostgreSQL at ${placeOf(url)} does not take us: ${message || code}\n` +
        'Start it, correct the address, or unset DATABASE_URL to have one started for you.',
    );
  }
}

/** The servers and the database of an address, without the credentials. */
const placeOf = (url: string): string =>
  /\/\/(?:[^/?#]*@)?([^?#]*)/.exec(url)?.[1] ?? 'its address';
