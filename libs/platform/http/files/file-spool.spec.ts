import { mkdtemp, readdir, rm, statfs, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requestErrors } from '#platform/contracts';
import { FileSpool } from './file-spool.js';

describe(FileSpool.name, () => {
  let root: string;

  beforeAll(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'carillon-spool-'));
  });
  afterAll(() => rm(root, { recursive: true }));

  it('creates its folder, and removes files that a crash left a day ago', async () => {
    const folder = path.join(root, 'made', 'spool');
    const sut = new FileSpool({ folder, limitMib: 1, leastFreeMib: 0 });
    await sut.onApplicationBootstrap();
    const [old, young] = [sut.newPath(), sut.newPath()];
    await writeFile(old, 'old');
    await writeFile(young, 'young');
    const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
    await utimes(old, longAgo, longAgo);
    await sut.onApplicationBootstrap();
    expect(await readdir(folder)).toEqual([path.basename(young)]);
  });

  it('reserves space for twenty files of an owner at a time', async () => {
    const sut = new FileSpool({ folder: root, limitMib: 1, leastFreeMib: 0 });
    const releases = await Promise.all(Array.from({ length: 20 }, () => sut.reserve('7', 100)));
    await expect(sut.reserve('7', 100)).rejects.toMatchObject({ error: requestErrors.rateLimited });
    await expect(sut.reserve('8', 100)).resolves.toBeDefined();
    releases[0]?.();
    await expect(sut.reserve('7', 100)).resolves.toBeDefined();
  });

  it('refuses files that do not fit on the disk together', async () => {
    const sut = new FileSpool({ folder: root, limitMib: 1, leastFreeMib: 0 });
    const { bavail, bsize } = await statfs(root);
    const most = bavail * bsize * 0.75;
    const release = await sut.reserve('7', most);
    // A refused file takes neither space nor a place.
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await expect(sut.reserve('8', most)).rejects.toMatchObject({
        error: requestErrors.insufficientStorage,
      });
    }
    release();
    await expect(sut.reserve('8', most)).resolves.toBeDefined();
  });

  it('ignores a file that does not exist', async () => {
    const sut = new FileSpool({ folder: root, limitMib: 1, leastFreeMib: 0 });
    await expect(sut.remove(sut.newPath())).resolves.toBeUndefined();
  });
});
