import { Inject, Injectable } from '@nestjs/common';
import { AttachmentEventRepository, type OwnAttachment } from '#chat/attachments';
import { ApiError, type Caller } from '#platform/contracts';
import { ToleratedFailures } from '#platform/core';
import { Database } from '#platform/database';
import { AttachmentsService } from './attachments.service.js';
import { FILE_STORAGE, type FileStorage } from './storage/file-storage.js';
import { uploadErrors } from './uploads.errors.js';

export const MAX_LISTED = 10_000;

/** Lists and removes the files that an account has uploaded. */
@Injectable()
export class OwnFilesService {
  readonly #failures = new ToleratedFailures(OwnFilesService.name);

  constructor(
    private readonly database: Database,
    private readonly attachments: AttachmentEventRepository,
    private readonly rows: AttachmentsService,
    @Inject(FILE_STORAGE) private readonly storage: FileStorage,
  ) {}

  /** The newest 10,000 files of the caller in the order of their ids. */
  async list({
    userId,
    realm,
  }: Caller): Promise<{ readonly files: readonly OwnAttachment[]; readonly usedBytes: number }> {
    const [files, used] = await Promise.all([
      this.attachments.list(this.database, userId, MAX_LISTED),
      this.attachments.usedSpace(this.database, [realm.id]),
    ]);
    return { files, usedBytes: used.get(realm.id) ?? 0 };
  }

  /**
   * Removes a file of the caller, also one that messages link. Rejects with `invalidAttachment`. The row is removed first;
   * if the removal of the bytes then fails, no request can read them any more, and the clean-up removes them later.
   */
  async remove(caller: Caller, attachmentId: number): Promise<void> {
    const removed = await this.rows.remove(attachmentId, caller.userId);
    if (removed === null) throw new ApiError(uploadErrors.invalidAttachment);
    await this.storage.remove(removed.pathId).catch((error: unknown) => {
      this.#failures.record(error);
    });
  }
}
