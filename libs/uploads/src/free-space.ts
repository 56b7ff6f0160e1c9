import { statfs } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '#contracts';

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
  constructor(@Inject(FREE_SPACE_OPTIONS) private readonly options: FreeSpaceOptions) {}

  /**
   * Rejects with `insufficientStorage` when less would be free than there has to be after so many more bytes.
   * A folder that is not there yet is made by the first upload.
   */
  async check(moreBytes = 0): Promise<void> {
    const { folder, leastFreeMib } = this.options;
    const disk = await statfs(folder).catch(nullIfMissing);
    if (disk === null) return;
    const { bavail, bsize } = disk;
    if (bavail * bsize - moreBytes < leastFreeMib * MEBIBYTE) {
      throw new ApiError('insufficientStorage');
    }
  }
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
