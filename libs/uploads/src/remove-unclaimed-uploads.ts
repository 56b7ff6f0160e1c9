import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type Clock, CLOCK } from '#core';
import { AttachmentRepository } from './attachment.repository.js';
import { FILE_STORAGE, type FileStorage } from './storage/file-storage.js';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Long enough for a draft that somebody comes back to. */
const UNCLAIMED_MS = 35 * DAY_MS;
const AT_ONCE = 500;
const MOST_PER_HOUR = 100_000;

/** Removes, once an hour, the files that no message has linked for five weeks. */
@Injectable()
export class RemoveUnclaimedUploads implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #logger = new Logger(RemoveUnclaimedUploads.name);
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly attachments: AttachmentRepository,
    @Inject(FILE_STORAGE) private readonly storage: FileStorage,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.#timer = setInterval(() => {
      this.#running = this.execute(new Date(this.clock() - UNCLAIMED_MS)).catch((error: unknown) =>
        this.#logger.warn(`Unclaimed files were not all removed: ${String(error)}`),
      );
    }, HOUR_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /**
   * Removes those that were uploaded before a time; resolves with how many. The room comes free with the
   * row; should a file's removal fail then, it stays behind. A pass has an end: the next hour goes on behind it.
   */
  async execute(olderThan: Date): Promise<number> {
    let count = 0;
    for (let seen = 0; seen < MOST_PER_HOUR;) {
      const { looked, removedPaths } = await this.attachments.settle(olderThan, AT_ONCE);
      for (const path of removedPaths) await this.storage.remove(path);
      count += removedPaths.length;
      seen += looked;
      if (looked < AT_ONCE) break;
    }
    return count;
  }
}
