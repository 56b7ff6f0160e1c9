import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { MultipartFile } from '@fastify/multipart';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';

/** Where the files of requests go while their routes run, and how large they may be. */
export interface FileSpoolOptions {
  readonly folder: string;
  readonly limitMib: number;
}

/** What a crashed process has left is removed by the next one when it is this old. */
const LEFT_BEHIND_MS = 24 * 60 * 60 * 1000;

/** Writes the files of requests to disk as they come in. */
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
    const oldest = Date.now() - LEFT_BEHIND_MS;
    for (const name of await readdir(this.#folder)) {
      const file = path.join(this.#folder, name);
      const found = await stat(file).catch(() => null);
      if (found !== null && found.mtimeMs < oldest) await this.remove(file);
    }
  }

  /** A path for one more file. */
  newPath(): string {
    return path.join(this.#folder, randomUUID());
  }

  /** Resolves with the bytes written; whatever goes beyond the part's own limit is passed over. */
  async write(part: MultipartFile, file: string): Promise<number> {
    const target = createWriteStream(file, { flags: 'wx', mode: 0o600 });
    await pipeline(part.file, target);
    return target.bytesWritten;
  }

  /** Removes a file if it is still there. A failure is logged, and left to the next start. */
  async remove(file: string): Promise<void> {
    await rm(file, { force: true }).catch((error: unknown) =>
      new Logger(FileSpool.name).warn(`A spooled file could not be removed: ${String(error)}`),
    );
  }
}
