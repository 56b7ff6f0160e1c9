import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { MultipartFile } from '@fastify/multipart';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';

/** The folder for the files of running requests, and the size limit of a file. */
export interface FileSpoolOptions {
  readonly folder: string;
  readonly limitMib: number;
}

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

  constructor({ folder, limitMib }: FileSpoolOptions) {
    this.#folder = path.resolve(folder);
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
