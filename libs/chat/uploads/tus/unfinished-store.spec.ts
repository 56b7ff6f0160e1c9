import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ERRORS } from '@tus/server';
import { UnfinishedStore } from './unfinished-store.js';

describe(UnfinishedStore.name, () => {
  let directory: string;
  let sut: UnfinishedStore;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'carillon-unfinished-'));
    sut = new UnfinishedStore({ directory, idleLimitMs: 1000, release: () => Promise.resolve() });
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('writes data at its offset, and returns the next offset', async () => {
    await writeFile(path.join(directory, 'a'), 'hello ');
    expect(await sut.write(Readable.from([Buffer.from('world')]), 'a', 6)).toBe(11);
    expect(await readFile(path.join(directory, 'a'), 'utf8')).toBe('hello world');
  });

  it('reports a full disk', async () => {
    // A device on which every write fails as on a full disk.
    await symlink('/dev/full', path.join(directory, 'a'));
    const written = sut.write(Readable.from([Buffer.from('hello')]), 'a', 0);
    await expect(written).rejects.toMatchObject({ code: 'ENOSPC' });
  });

  it('reports a closed connection as the library does', async () => {
    await writeFile(path.join(directory, 'a'), '');
    const leaving = new Readable({ read: () => leaving.destroy(new Error('aborted')) });
    await expect(sut.write(leaving, 'a', 0)).rejects.toBe(ERRORS.FILE_WRITE_ERROR);
  });
});
