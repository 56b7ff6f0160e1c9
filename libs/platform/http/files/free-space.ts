import { statfs } from 'node:fs/promises';
import { Logger } from '@nestjs/common';
import { ApiError, MEBIBYTE, requestErrors } from '#platform/contracts';
import { errorCode, Sampler } from '#platform/core';

/** The folder of the uploads, and the space that must stay free on its disk. */
interface FreeSpaceOptions {
  readonly folder: string;
  readonly leastFreeMib: number;
}

/** Keeps uploads from filling their disk, which other programs may need. */
export class FreeSpace {
  readonly #logger = new Logger(FreeSpace.name);
  readonly #refusals = new Sampler();

  constructor(private readonly options: FreeSpaceOptions) {}

  /**
   * Rejects with `insufficientStorage` when too little space would be free after `moreBytes`. A missing folder is
   * not an error: the first upload creates it.
   */
  async check(moreBytes = 0): Promise<void> {
    const { leastFreeMib } = this.options;
    const free = await this.bytes();
    if (free === null || free - moreBytes >= leastFreeMib * MEBIBYTE) return;
    const count = this.#refusals.take();
    if (count !== null) {
      this.#logger.error(
        `The disk is too full for uploads: rejected ${count}, ${Math.floor(free / MEBIBYTE)} MiB are free, ${leastFreeMib} must stay free`,
      );
    }
    throw new ApiError(requestErrors.insufficientStorage);
  }

  /** The free bytes of the disk; null while the folder does not exist. */
  async bytes(): Promise<number | null> {
    const disk = await statfs(this.options.folder).catch(nullIfMissing);
    return disk === null ? null : disk.bavail * disk.bsize;
  }
}

function nullIfMissing(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}
