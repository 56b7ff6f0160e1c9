import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { requestErrors } from '#platform/contracts';
import { FreeSpace } from './free-space.js';

const folder = tmpdir();
/** More than the size of any disk. */
const HUGE_MIB = 2 ** 40;

describe(FreeSpace.name, () => {
  it('accepts uploads while enough space is free', async () => {
    await expect(new FreeSpace({ folder, leastFreeMib: 0 }).check(1)).resolves.toBeUndefined();
  });

  it('rejects uploads when too little space is free, or would be afterwards', async () => {
    const rejection = { error: requestErrors.insufficientStorage };
    const full = new FreeSpace({ folder, leastFreeMib: HUGE_MIB });
    await expect(full.check()).rejects.toMatchObject(rejection);
    const free = new FreeSpace({ folder, leastFreeMib: 0 });
    await expect(free.check(HUGE_MIB * 1_048_576)).rejects.toMatchObject(rejection);
  });

  it('accepts uploads while the folder does not exist', async () => {
    const missing = path.join(folder, 'no such folder');
    const sut = new FreeSpace({ folder: missing, leastFreeMib: HUGE_MIB });
    await expect(sut.check()).resolves.toBeUndefined();
  });
});
