import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigError } from '#platform/config';
import { prepareUploadsFolder } from './prepare-uploads-folder.js';

let place: string;

beforeEach(async () => {
  place = await mkdtemp(path.join(tmpdir(), 'carillon-uploads-'));
});
afterEach(() => rm(place, { recursive: true }));

const modeOf = async (folder: string) => (await stat(folder)).mode & 0o777;

describe(prepareUploadsFolder.name, () => {
  it('creates folders that only their owner can read', async () => {
    const folder = path.join(place, 'a', 'uploads');
    await prepareUploadsFolder(folder);
    await prepareUploadsFolder(folder);
    for (const part of ['', 'files', 'spool', 'unfinished']) {
      expect(await modeOf(path.join(folder, part))).toBe(0o700);
    }
  });

  it('restricts folders that an earlier release has left open', async () => {
    await mkdir(path.join(place, 'unfinished'), { mode: 0o755 });
    await prepareUploadsFolder(place);
    expect(await modeOf(path.join(place, 'unfinished'))).toBe(0o700);
  });

  it.each(['/dev/null/uploads', '/proc/nowhere/uploads'])(
    'names the variable when %s cannot be created',
    async (folder) => {
      const refused = prepareUploadsFolder(folder);
      await expect(refused).rejects.toThrow(ConfigError);
      await expect(refused).rejects.toThrow('UPLOADS_DIR');
    },
  );

  it('rejects a file', async () => {
    const file = path.join(place, 'file');
    await writeFile(file, '');
    await expect(prepareUploadsFolder(file)).rejects.toThrow('is not a folder');
  });
});
