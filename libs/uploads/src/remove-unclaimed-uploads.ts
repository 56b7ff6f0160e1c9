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
const AT_ONCE = 100;

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
   * row; should a file's removal fail then, it stays behind.
   */
  async execute(olderThan: Date): Promise<number> {
    let count = 0;
    for (;;) {
      const paths = await this.attachments.removeUnclaimed(olderThan, AT_ONCE);
      for (const path of paths) await this.storage.remove(path);
      count += paths.length;
      if (paths.length < AT_ONCE) return count;
    }
  }
}
