import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { LocalStackError } from './command.js';

/** A user of this machine. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Where root puts what an unprivileged account must reach when it cannot reach the project. */
const REACHABLE_FOLDER = '/var/lib/carillon';
/** Others may pass through, but not look around. */
const PASS_THROUGH = 0o711;

/** Others may neither read nor enter what is made from now on, by this process and by those that it starts. */
export function makeFilesPrivate(): void {
  process.umask(0o077);
}

/**
 * The account for a server that refuses to run as root; undefined when we are not root, and it may
 * run as ourselves. Throws LocalStackError when this machine has none.
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

/** Whether the account can pass into this folder; without an account, that is a matter of course. */
export function canEnter(folder: string, account: Account | undefined): boolean {
  if (account === undefined) return true;
  const { uid, gid } = account;
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { uid, gid, cwd: '/' }).status === 0;
}

/** Makes a folder, with those above it, through which other accounts may pass. */
export function makePassableFolder(folder: string): void {
  const topmostMade = mkdirSync(folder, { recursive: true });
  if (topmostMade === undefined) return;
  // Explicitly, since the umask has cut the mode of mkdir.
  for (let made = folder; made.length >= topmostMade.length; made = path.dirname(made)) {
    chmodSync(made, PASS_THROUGH);
  }
}

/**
 * The folder, made, or a stand-in for it under /var/lib when the account cannot reach it: a project
 * under a private home directory. The stand-in is the same at every call.
 */
export function reachableFolder(folder: string, account: Account | undefined): string {
  makePassableFolder(folder);
  if (canEnter(folder, account)) return folder;
  if (readdirSync(folder).length > 0) {
    throw new LocalStackError(`${account?.name} cannot enter ${folder} any more; make way for it.`);
  }
  rmdirSync(folder);
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  const standIn = path.join(REACHABLE_FOLDER, hash);
  makePassableFolder(standIn);
  return standIn;
}

/** Where programs that the account cannot reach are copied to. */
export function programsFolder(nameAndVersion: string): string {
  const folder = path.join(REACHABLE_FOLDER, nameAndVersion);
  makePassableFolder(path.dirname(folder));
  return folder;
}

/** Whom a folder belongs to, when we are root and it is not ours. */
export function ownerOf(folder: string): Account | undefined {
  const { uid, gid } = statSync(folder);
  return uid === 0 || process.getuid?.() !== 0 ? undefined : { name: `user ${uid}`, uid, gid };
}
