import { constants } from 'node:fs';
import { access, chmod, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { ConfigError } from '#platform/config';
import { errorCode, errorText, withinDeadline } from '#platform/core';

/** A network file system that does not respond must not block the start silently. */
const DEADLINE_MS = 10_000;
const OWNER_ONLY = 0o700;
const SUBFOLDERS = ['files', 'spool', 'unfinished'];

/**
 * Creates the folder of the uploads and its subfolders, which only the owner can read. Rejects with ConfigError if a
 * folder cannot be created or written.
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
  for (const part of SUBFOLDERS) {
    const folder = path.join(root, part);
    await makeFolder(folder);
    // Earlier releases made them readable for everyone. Some file systems do not support modes.
    await chmod(folder, OWNER_ONLY).catch(() => undefined);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  }
}

/** Creates the folder with its parents. A recursive mkdir never returns below /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  await makeFolder(path.dirname(folder));
  await mkdir(folder, { mode: OWNER_ONLY }).catch(async (error: unknown) => {
    // Another gateway may have created it at the same time.
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
