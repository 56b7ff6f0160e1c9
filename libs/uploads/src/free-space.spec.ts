import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { FreeSpace } from './free-space.js';

const folder = tmpdir();
/** More than any disk has. */
const EVERYTHING_MIB = 2 ** 40;

describe(FreeSpace.name, () => {
  it('lets uploads pass while enough of the disk is free', async () => {
    await expect(new FreeSpace({ folder, leastFreeMib: 0 }).check(1)).resolves.toBeUndefined();
  });

  it('refuses uploads below the mark, and those that would go below it', async () => {
    const refusal = { errorName: 'insufficientStorage' };
    const full = new FreeSpace({ folder, leastFreeMib: EVERYTHING_MIB });
    await expect(full.check()).rejects.toMatchObject(refusal);
    const free = new FreeSpace({ folder, leastFreeMib: 0 });
    await expect(free.check(EVERYTHING_MIB * 1_048_576)).rejects.toMatchObject(refusal);
  });

  it('minds no folder that is not there yet', async () => {
    const missing = path.join(folder, 'no such folder');
    const sut = new FreeSpace({ folder: missing, leastFreeMib: EVERYTHING_MIB });
    await expect(sut.check()).resolves.toBeUndefined();
  });
});
