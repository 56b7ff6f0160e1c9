import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, open, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { errorCode } from '#platform/core';
import type { ByteRange } from '#platform/http';
import { isStorageKey } from '../uploads.rules.js';
import { FileMissing, type FileStorage, type IncomingFile } from './file-storage.js';

const MISSING: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG']);

/** Stores files in a folder of the local disk, or of a disk that several gateways share. */
export class LocalFileStorage implements FileStorage {
  readonly isFolder = true;
  readonly #root: string;

  constructor(folder: string) {
    this.#root = path.resolve(folder);
  }

  async store(key: string, file: IncomingFile): Promise<void> {
    const target = this.#pathOf(key);
    try {
      await moveInto(file.path, target);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      // A concurrent removal deleted the empty folder.
      await moveInto(file.path, target);
    }
  }

  async read(key: string, range: ByteRange | null = null): Promise<Readable> {
    try {
      const file = await open(this.#pathOf(key));
      if ((await file.stat()).isFile()) {
        return file.createReadStream(range === null ? {} : { start: range.first, end: range.last });
      }
      await file.close();
      throw new FileMissing();
    } catch (error) {
      throw MISSING.has(errorCode(error)) ? new FileMissing() : error;
    }
  }

  async remove(key: string): Promise<void> {
    if (!isStorageKey(key)) return;
    const file = this.#pathOf(key);
    await rm(file, { force: true });
    // Removes the folder only if it is empty.
    await rmdir(path.dirname(file)).catch(() => undefined);
  }

  #pathOf(key: string): string {
    if (!isStorageKey(key)) throw new FileMissing();
    return path.join(this.#root, key);
  }
}

async function moveInto(from: string, target: string): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
  try {
    await rename(from, target);
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error;
    await copyInto(from, target);
  }
}

/** Copies a file from another file system, where `rename` fails. The complete copy gets its name at the end. */
async function copyInto(from: string, target: string): Promise<void> {
  const copy = path.join(path.dirname(target), randomUUID());
  try {
    await copyFile(from, copy);
    await rename(copy, target);
  } finally {
    await rm(copy, { force: true });
  }
}
