import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ApiError, requestErrors } from '#platform/contracts';
import { OwnerSlots } from '#platform/core';

/**
 * The files that one account or address reads at once. Each may hold a file or a connection of the storage for as long as its
 * client reads slowly, and the storage has a limited number of connections for all.
 */
const reading = new OwnerSlots({
  all: Infinity,
  ofOwner: 20,
  // A page shows many pictures at once.
  waiting: 500,
  refusal: () => new ApiError(requestErrors.rateLimited, {}, { 'retry-after': 1 }),
});

/** Opens a file when its reader has few other files open. Rejects with `rateLimited` if too many wait. */
export function openWhenFree(owner: string, open: () => Promise<Readable>): Promise<Readable> {
  return new Promise((resolve, reject) => {
    const untilRead = async () => {
      const file = await open();
      resolve(file);
      await finished(file).catch(() => undefined);
    };
    reading.run(owner, untilRead).catch(reject);
  });
}
