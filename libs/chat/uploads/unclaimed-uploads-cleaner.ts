import { Inject, Injectable, Logger } from '@nestjs/common';
import { PeriodicService, PeriodicTask, ToleratedFailures } from '#platform/core';
import type { CleanupResult } from './attachment.repository.js';
import { AttachmentsService } from './attachments.service.js';
import { FILE_STORAGE, type FileStorage } from './storage/file-storage.js';

const HOUR_MS = 60 * 60 * 1000;

/** Long enough for a draft. */
const UNCLAIMED_DAYS = 35;

const BATCH_SIZE = 500;

const MAX_PER_HOUR = 100_000;

/** Removes, once an hour, the files that no message has linked for five weeks. */
@Injectable()
export class UnclaimedUploadsCleaner extends PeriodicService {
  readonly #failures = new ToleratedFailures(UnclaimedUploadsCleaner.name);
  protected readonly task = new PeriodicTask(HOUR_MS, () => this.removeUnclaimed(), {
    failure: 'Unclaimed files were not all removed',
    logger: new Logger(UnclaimedUploadsCleaner.name),
  });

  constructor(
    @Inject(AttachmentsService)
    private readonly attachments: Pick<AttachmentsService, 'removeUnclaimed'>,
    @Inject(FILE_STORAGE) private readonly storage: FileStorage,
  ) {
    super();
  }

  /**
   * Removes the unclaimed files that were uploaded, and lost their last link, five weeks ago or earlier; resolves with their
   * number. The row is removed first, with its quota; if the removal of the file then fails, the file stays, and the pass
   * ends after its batch. A pass is bounded: the next hour continues it.
   */
  async removeUnclaimed(): Promise<number> {
    let count = 0;
    for (let total = 0; total < MAX_PER_HOUR;) {
      const { checked, removed } = await this.attachments.removeUnclaimed(
        UNCLAIMED_DAYS,
        BATCH_SIZE,
      );
      const areFilesRemoved = await this.#removeFiles(removed);
      count += removed.length;
      total += checked;
      // During an outage of the storage each further batch would leave its files.
      if (checked < BATCH_SIZE || !areFilesRemoved) break;
    }
    return count;
  }

  /** False if the removal of a file has failed. */
  async #removeFiles(removed: CleanupResult['removed']): Promise<boolean> {
    let areFilesRemoved = true;
    for (const { pathId } of removed) {
      await this.storage.remove(pathId).catch((error: unknown) => {
        areFilesRemoved = false;
        this.#failures.record(error);
      });
    }
    return areFilesRemoved;
  }
}
