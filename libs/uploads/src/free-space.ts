import { statfs } from 'node:fs/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ApiError } from '#contracts';
import { errorCode, Sampler } from '#core';

/** Which folder is watched, and how much of its disk is left alone. */
export interface FreeSpaceOptions {
  readonly folder: string;
  readonly leastFreeMib: number;
}

/** DI token of the FreeSpaceOptions. */
export const FREE_SPACE_OPTIONS = Symbol('FreeSpaceOptions');

const MEBIBYTE = 1_048_576;

/** Keeps uploads from filling the disk that they come in to, on which other programs may depend. */
@Injectable()
export class FreeSpace {
  readonly #logger = new Logger(FreeSpace.name);
  readonly #refusals = new Sampler();

  constructor(@Inject(FREE_SPACE_OPTIONS) private readonly options: FreeSpaceOptions) {}

  /**
   * Rejects with `insufficientStorage` when less would be free than there has to be after so many more bytes.
   * A folder that is not there yet is made by the first upload.
   */
  async check(moreBytes = 0): Promise<void> {
    const { leastFreeMib } = this.options;
    const free = await this.bytes();
    if (free === null || free - moreBytes >= leastFreeMib * MEBIBYTE) return;
    const count = this.#refusals.take();
    if (count !== null) {
      this.#logger.error(
        `${count} uploads were refused for want of room: ${Math.floor(free / MEBIBYTE)} MiB are free, ${leastFreeMib} have to be left`,
      );
    }
    throw new ApiError('insufficientStorage');
  }

  /** How many bytes are free on the disk; null when the folder is not there yet. */
  async bytes(): Promise<number | null> {
    const disk = await statfs(this.options.folder).catch(nullIfMissing);
    return disk === null ? null : disk.bavail * disk.bsize;
  }
}

function nullIfMissing(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}
