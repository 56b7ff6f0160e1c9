import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FileStore } from '@tus/file-store';
import { ERRORS } from '@tus/server';
import { errorCode, isDiskFull } from '#core';

interface UnfinishedStoreOptions {
  readonly directory: string;
  /** An upload of which nothing has come for so long expires. */
  readonly silenceMs: number;
  /** Gives back the room that an upload has reserved; to be repeated without harm. */
  readonly release: (id: string) => Promise<void>;
}

/**
 * The library's store of uploads on local disk, for those that are not whole.
 *
 * One whose last byte came, and which a crash then kept us from keeping, has nothing left that a client
 * could send to have it finished: it is removed when it is next asked for, and the client begins anew.
 */
export class UnfinishedStore extends FileStore {
  /** The ids of those that are whole and just being kept. */
  readonly finishing = new Set<string>();
  readonly #release: (id: string) => Promise<void>;

  constructor({ directory, silenceMs, release }: UnfinishedStoreOptions) {
    super({ directory, expirationPeriodInMilliseconds: silenceMs });
    this.#release = release;
  }

  /** The library asks under the upload's lock, so that no piece is being written meanwhile. */
  override async getUpload(id: string) {
    const upload = await super.getUpload(id);
    // The library counts the time until an upload expires from here.
    upload.creation_date = (await stat(this.#pathOf(id))).mtime.toISOString();
    if (upload.offset !== upload.size || this.finishing.has(id)) return upload;
    await this.remove(id);
    throw ERRORS.FILE_NOT_FOUND;
  }

  /** As the library does; of what goes wrong it tells no reason, and a full disk has an answer of its own. */
  override async write(readable: Readable, id: string, offset: number): Promise<number> {
    const file = createWriteStream(this.#pathOf(id), { flags: 'r+', start: offset });
    try {
      await pipeline(readable, file);
    } catch (error) {
      throw isDiskFull(error) ? error : ERRORS.FILE_WRITE_ERROR;
    }
    return offset + file.bytesWritten;
  }

  /** Its bytes may have been moved away already. */
  override async remove(id: string): Promise<void> {
    await rm(this.#pathOf(id), { force: true });
    await this.configstore.delete(id).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    await this.#release(id);
  }

  /** By when something of them last came, and not, as the library does, by when they began. */
  override async deleteExpired(): Promise<number> {
    const ids = (await this.configstore.list?.()) ?? [];
    let count = 0;
    for (const id of ids) {
      if (this.finishing.has(id) || !(await this.#isSilent(id))) continue;
      await this.remove(id);
      count += 1;
    }
    return count;
  }

  async #isSilent(id: string): Promise<boolean> {
    const written = await stat(this.#pathOf(id)).catch(orNullIfMissing);
    const described = await stat(`${this.#pathOf(id)}.json`).catch(orNullIfMissing);
    const since = Math.max(written?.mtimeMs ?? 0, described?.mtimeMs ?? 0);
    return Date.now() - since > this.getExpiration();
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
