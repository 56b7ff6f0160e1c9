import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { LocalStackError } from './command.js';

/** An account of this machine. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** The folder for an unprivileged account that cannot enter the project; only used by root. */
const REACHABLE_FOLDER = '/var/lib/carillon';
/** Others may enter, but not list the folder. */
const PASS_THROUGH = 0o711;

/** Denies other accounts the access to new files of this process and its children. */
export function makeFilesPrivate(): void {
  process.umask(0o077);
}

/**
 * The account for a server that refuses to run as root; undefined if this process is not root.
 * Throws LocalStackError when this machine has no such account.
 */
export function unprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((option) => {
      const { status, stdout } = spawnSync('id', [option, name], { encoding: 'utf8' });
      return status === 0 ? Number(stdout) : 0;
    });
    if (uid && gid) return { name, uid, gid };
  }
  throw new LocalStackError(
    'PostgreSQL refuses to run as root, and this machine has neither a user "postgres" nor "nobody".\n' +
      'Start as another user, add one (useradd --system postgres), or set DATABASE_URL to a server of yours.',
  );
}

/** Whether the account can enter this folder; true without an account. */
function canEnter(folder: string, account: Account | undefined): boolean {
  if (account === undefined) return true;
  const { uid, gid } = account;
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { uid, gid, cwd: '/' }).status === 0;
}

/** Creates a folder and its parents, which other accounts may enter. */
export function makePassableFolder(folder: string): void {
  const topmostMade = mkdirSync(folder, { recursive: true });
  if (topmostMade === undefined) return;
  // The umask has restricted the mode of mkdir.
  for (let made = folder; made.length >= topmostMade.length; made = path.dirname(made)) {
    chmodSync(made, PASS_THROUGH);
  }
}

/**
 * Creates the folder, or a replacement under /var/lib if the account cannot enter it, for example
 * below a private home directory. Every call returns the same replacement.
 */
export function reachableFolder(folder: string, account: Account | undefined): string {
  makePassableFolder(folder);
  if (canEnter(folder, account)) return folder;
  if (readdirSync(folder).length > 0) {
    throw new LocalStackError(`${account?.name} cannot enter ${folder} any more; make way for it.`);
  }
  rmdirSync(folder);
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  const replacement = path.join(REACHABLE_FOLDER, hash);
  makePassableFolder(replacement);
  return replacement;
}

/** The folder for copies of programs that the account cannot read. */
export function programsFolder(nameAndVersion: string): string {
  const folder = path.join(REACHABLE_FOLDER, nameAndVersion);
  makePassableFolder(path.dirname(folder));
  return folder;
}

/** The owner of a folder, if this process is root and the owner is another account. */
export function ownerOf(folder: string): Account | undefined {
  const { uid, gid } = statSync(folder);
  return uid === 0 || process.getuid?.() !== 0 ? undefined : { name: `user ${uid}`, uid, gid };
}
