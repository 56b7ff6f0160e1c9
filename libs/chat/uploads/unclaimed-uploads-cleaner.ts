import { Inject, Injectable, Logger } from '@nestjs/common';
import { PeriodicService, PeriodicTask, ToleratedFailures } from '#platform/core';
import { AttachmentsService } from './attachments.service.js';
import { RemovedFileRepository } from './removed-file.repository.js';
import { FILE_STORAGE, type FileStorage, StorageUnavailable } from './storage/file-storage.js';

const HOUR_MS = 60 * 60 * 1000;

/** Long enough for a draft. */
const UNCLAIMED_DAYS = 35;

const BATCH_SIZE = 500;

const MAX_PER_HOUR = 100_000;

/** So many files in a row that the unavailable storage did not remove end a pass. */
const MAX_OUTAGES = 3;

/** Removes, once an hour, the files that no message has linked for five weeks, and the files whose rows were removed. */
@Injectable()
export class UnclaimedUploadsCleaner extends PeriodicService {
  readonly #failures = new ToleratedFailures(UnclaimedUploadsCleaner.name);
  protected readonly task = new PeriodicTask(HOUR_MS, () => this.clean(), {
    failure: 'Unclaimed files were not all removed',
    logger: new Logger(UnclaimedUploadsCleaner.name),
  });

  constructor(
    @Inject(AttachmentsService)
    private readonly attachments: Pick<AttachmentsService, 'removeUnclaimed'>,
    private readonly removed: RemovedFileRepository,
    @Inject(FILE_STORAGE) private readonly storage: FileStorage,
  ) {
    super();
  }

  /**
   * Removes the rows of the unclaimed files that were uploaded, and lost their last link, five weeks ago or earlier, with
   * their quota. Then removes the files of these and of earlier removed rows from the storage. What fails is tried again
   * after an hour. A pass is bounded, and ends early at a shutdown: the next one continues it.
   */
  async clean(): Promise<void> {
    for (let total = 0; total < MAX_PER_HOUR && !this.task.isStopping;) {
      const { checked } = await this.attachments.removeUnclaimed(UNCLAIMED_DAYS, BATCH_SIZE);
      total += checked;
      if (checked < BATCH_SIZE) break;
    }
    for (let total = 0; total < MAX_PER_HOUR && !this.task.isStopping;) {
      const keys = await this.removed.claim(BATCH_SIZE);
      const isAvailable = await this.#removeFiles(keys);
      total += keys.length;
      if (keys.length < BATCH_SIZE || !isAvailable) break;
    }
  }

  /** False during an outage of the storage, in which each further file would wait for its time-out. */
  async #removeFiles(keys: readonly string[]): Promise<boolean> {
    const removed: string[] = [];
    let outages = 0;
    for (const key of keys) {
      if (this.task.isStopping) break;
      try {
        await this.storage.remove(key);
        removed.push(key);
        outages = 0;
      } catch (error) {
        this.#failures.record(error);
        if (error instanceof StorageUnavailable) outages += 1;
        if (outages === MAX_OUTAGES) break;
      }
    }
    await this.removed.forget(removed);
    return outages < MAX_OUTAGES;
  }
}
