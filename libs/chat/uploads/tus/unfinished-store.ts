import { createWriteStream } from 'node:fs';
import { rm, stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FileStore } from '@tus/file-store';
import { ERRORS } from '@tus/server';
import { errorCode, isDiskFull } from '#platform/core';

interface UnfinishedStoreOptions {
  readonly directory: string;
  /** The time without data after which an upload expires. */
  readonly idleLimitMs: number;
  /** Releases the reservation of an upload; idempotent. */
  readonly release: (id: string) => Promise<void>;
}

/**
 * Stores unfinished uploads on local disk.
 *
 * After a crash between the last byte and the end of an upload, the client has no more data to send that would finish
 * it. The next request removes such an upload, and the client starts again.
 */
export class UnfinishedStore extends FileStore {
  /** The ids of the complete uploads that are being moved to the file storage. */
  readonly finishing = new Set<string>();
  readonly #release: (id: string) => Promise<void>;

  constructor({ directory, idleLimitMs, release }: UnfinishedStoreOptions) {
    super({ directory, expirationPeriodInMilliseconds: idleLimitMs });
    this.#release = release;
  }

  /** The library holds the lock of the upload, so that no data is written at the same time. */
  override async getUpload(id: string) {
    const upload = await super.getUpload(id);
    // The library computes the expiry from this date.
    upload.creation_date = (await stat(this.#pathOf(id))).mtime.toISOString();
    if (upload.offset !== upload.size || this.finishing.has(id)) return upload;
    await this.remove(id);
    throw ERRORS.FILE_NOT_FOUND;
  }

  /** Like the library, but a full disk is reported as such. */
  override async write(readable: Readable, id: string, offset: number): Promise<number> {
    const file = createWriteStream(this.#pathOf(id), { flags: 'r+', start: offset });
    try {
      await pipeline(readable, file);
    } catch (error) {
      throw isDiskFull(error) ? error : ERRORS.FILE_WRITE_ERROR;
    }
    return offset + file.bytesWritten;
  }

  /**
   * Takes back the last byte of a complete upload: clients take an upload for finished whose bytes have all arrived, and
   * would not repeat the request that failed to finish it.
   */
  async reopen(id: string, sizeBytes: number): Promise<void> {
    await truncate(this.#pathOf(id), sizeBytes - 1);
  }

  /** Removes an upload. Its file may already have been moved. */
  override async remove(id: string): Promise<void> {
    await rm(this.#pathOf(id), { force: true });
    await this.configstore.delete(id).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    await this.#release(id);
  }

  /** Removes uploads by the time of their last data. The library uses the time of their creation. */
  override async deleteExpired(): Promise<number> {
    const ids = (await this.configstore.list?.()) ?? [];
    let count = 0;
    for (const id of ids) {
      if (this.finishing.has(id) || !(await this.#isIdle(id))) continue;
      await this.remove(id);
      count += 1;
    }
    return count;
  }

  async #isIdle(id: string): Promise<boolean> {
    const data = await stat(this.#pathOf(id)).catch(orNullIfMissing);
    const metadata = await stat(`${this.#pathOf(id)}.json`).catch(orNullIfMissing);
    const lastChange = Math.max(data?.mtimeMs ?? 0, metadata?.mtimeMs ?? 0);
    return Date.now() - lastChange > this.getExpiration();
  }

  #pathOf(id: string): string {
    return path.join(this.directory, id);
  }
}

const isMissing = (error: unknown): boolean => errorCode(error) === 'ENOENT';

function orNullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
