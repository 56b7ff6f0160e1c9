import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { MultipartFile } from '@fastify/multipart';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ApiError, requestErrors } from '#platform/contracts';
import { addToCount } from '#platform/core';
import { FreeSpace } from './free-space.js';

/** The folder for the files of running requests, the size limit of a file, and the space that must stay free. */
export interface FileSpoolOptions {
  readonly folder: string;
  readonly limitMib: number;
  readonly leastFreeMib: number;
}

/** Of one account at a time; a client sends no more than a few. */
const MAX_FILES_AT_ONCE = 20;

/** Files of this age were left by a crashed process. */
const STALE_MS = 24 * 60 * 60 * 1000;

/**
 * Writes uploaded files to disk while they arrive. `saveRequestFiles` of @fastify/multipart would store every file of a
 * request, not only the first, and never remove the files of a crashed process.
 */
@Injectable()
export class FileSpool implements OnApplicationBootstrap {
  readonly limitMib: number;
  readonly #folder: string;
  readonly #freeSpace: FreeSpace;
  /** The numbers of files that are being received, by owner. */
  readonly #counts = new Map<string, number>();
  #reservedBytes = 0;

  constructor({ folder, limitMib, leastFreeMib }: FileSpoolOptions) {
    this.#folder = path.resolve(folder);
    this.#freeSpace = new FreeSpace({ folder: this.#folder, leastFreeMib });
    this.limitMib = limitMib;
  }

  async onApplicationBootstrap(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const oldest = Date.now() - STALE_MS;
    for (const name of await readdir(this.#folder)) {
      const file = path.join(this.#folder, name);
      const found = await stat(file).catch(() => null);
      if (found !== null && found.mtimeMs < oldest) await this.remove(file);
    }
  }

  /**
   * Reserves space for a file of at most this size; resolves with the function that releases it. Rejects with
   * `rateLimited` if the owner already sends twenty files, and with `insufficientStorage`.
   */
  async reserve(owner: string, bytes: number): Promise<() => void> {
    const count = this.#counts.get(owner) ?? 0;
    if (count >= MAX_FILES_AT_ONCE)
      throw new ApiError(requestErrors.rateLimited, {}, { 'retry-after': 1 });
    const change = (files: 1 | -1) => {
      addToCount(this.#counts, owner, files);
      this.#reservedBytes += files * bytes;
    };
    change(1);
    try {
      // Received bytes count twice: they are no longer free, and are still reserved.
      await this.#freeSpace.check(this.#reservedBytes);
    } catch (error) {
      change(-1);
      throw error;
    }
    return () => change(-1);
  }

  /** A new, unused path. */
  newPath(): string {
    return path.join(this.#folder, randomUUID());
  }

  /** Resolves with the number of bytes written; bytes beyond the limit of the part are ignored. */
  async write(part: MultipartFile, file: string): Promise<number> {
    const target = createWriteStream(file, { flags: 'wx', mode: 0o600 });
    await pipeline(part.file, target);
    return target.bytesWritten;
  }

  /** Removes a file if it exists. A failure is logged; a later start removes the file. */
  async remove(file: string): Promise<void> {
    await rm(file, { force: true }).catch((error: unknown) =>
      new Logger(FileSpool.name).warn(`A spooled file could not be removed: ${String(error)}`),
    );
  }
}
