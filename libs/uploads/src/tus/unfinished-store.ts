import { rm } from 'node:fs/promises';
import path from 'node:path';
import { FileStore } from '@tus/file-store';
import { ERRORS } from '@tus/server';

/**
 * The library's store of uploads on local disk, for those that are not whole.
 *
 * One whose last byte came, and which a crash then kept us from keeping, has nothing left that a client
 * could send to have it finished: it is removed when it is next asked for, and the client begins anew.
 */
export class UnfinishedStore extends FileStore {
  /** The ids of those that are whole and just being kept. */
  readonly finishing = new Set<string>();

  /** The library asks under the upload's lock, so that no piece is being written meanwhile. */
  override async getUpload(id: string) {
    const upload = await super.getUpload(id);
    if (upload.offset !== upload.size || this.finishing.has(id)) return upload;
    await this.remove(id);
    throw ERRORS.FILE_NOT_FOUND;
  }

  /** Its bytes may have been moved away already. */
  override async remove(id: string): Promise<void> {
    await rm(path.join(this.directory, id), { force: true });
    await this.configstore.delete(id).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    });
  }
}
