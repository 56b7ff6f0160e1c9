import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FileSpool } from './file-spool.js';

describe(FileSpool.name, () => {
  let root: string;

  beforeAll(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'carillon-spool-'));
  });
  afterAll(() => rm(root, { recursive: true }));

  it('creates its folder, and removes files that a crash left a day ago', async () => {
    const folder = path.join(root, 'made', 'spool');
    const sut = new FileSpool({ folder, limitMib: 1 });
    await sut.onApplicationBootstrap();
    const [old, young] = [sut.newPath(), sut.newPath()];
    await writeFile(old, 'old');
    await writeFile(young, 'young');
    const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
    await utimes(old, longAgo, longAgo);
    await sut.onApplicationBootstrap();
    expect(await readdir(folder)).toEqual([path.basename(young)]);
  });

  it('ignores a file that does not exist', async () => {
    const sut = new FileSpool({ folder: root, limitMib: 1 });
    await expect(sut.remove(sut.newPath())).resolves.toBeUndefined();
  });
});
