import { constants } from 'node:fs';
import { access, chmod, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '#config';
import { errorCode, errorText, withinDeadline } from '#core';

/** A network file system that does not answer must not hold up the start without a word. */
const DEADLINE_MS = 10_000;
const OWNER_ONLY = 0o700;
/** What is kept there, each in a folder of its own. */
const PARTS = ['files', 'spool', 'unfinished'];

/**
 * Makes the folder of the uploads and those in it, which their owner alone may read. Rejects with ConfigError, which
 * names the variable, when it cannot be made or written to.
 */
export async function prepareUploadsFolder(folder: string): Promise<void> {
  const root = path.resolve(folder);
  try {
    await withinDeadline(DEADLINE_MS, prepare(root), () =>
      Promise.reject(new Error('the file system does not answer')),
    );
  } catch (error) {
    throw new ConfigError([
      `UPLOADS_DIR, or DATA_DIR without it: ${root} cannot be used: ${errorText(error)}`,
    ]);
  }
}

async function prepare(root: string): Promise<void> {
  await makeFolder(root);
  for (const part of PARTS) {
    const folder = path.join(root, part);
    await makeFolder(folder);
    // Earlier releases made them readable for everyone. On some file systems modes cannot be changed.
    await chmod(folder, OWNER_ONLY).catch(() => undefined);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  }
}

/** With those above it. Not by a recursive mkdir, which never returns below /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  await makeFolder(path.dirname(folder));
  await mkdir(folder, { mode: OWNER_ONLY }).catch(async (error: unknown) => {
    // Another gateway may have made it in the same moment.
    if (!(await isFolder(folder))) throw error;
  });
}

async function isFolder(folder: string): Promise<boolean> {
  try {
    if ((await stat(folder)).isDirectory()) return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
  throw new Error(`${folder} is not a folder`);
}
