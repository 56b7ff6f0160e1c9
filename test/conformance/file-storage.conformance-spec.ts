import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FileMissing, type FileStorage, openFileStorage, StorageUnavailable } from '#chat/uploads';
import { S3_TEST_BUCKET, S3_TEST_KEY, startS3Server } from '#test/s3-server';

/** The storage of a test file. */
interface StartedStorage {
  readonly sut: FileStorage;
  stop(): Promise<void>;
}

async function startLocal(): Promise<StartedStorage> {
  const folder = await mkdtemp(path.join(tmpdir(), 'carillon-files-'));
  return {
    sut: await openFileStorage({ folder: path.join(folder, 'made', 'when needed'), s3: null }),
    stop: () => rm(folder, { recursive: true }),
  };
}

async function startS3(): Promise<StartedStorage> {
  const server = await startS3Server();
  return { sut: await s3StorageAt(server.endpoint), stop: () => server.stop() };
}

const s3StorageAt = (endpoint: string, bucket = S3_TEST_BUCKET) =>
  openFileStorage({
    folder: '',
    s3: { bucket, region: 'us-east-1', endpoint, ...S3_TEST_KEY, hasPathStyle: true },
  });

describe.each([
  ['a folder', startLocal],
  ['a bucket', startS3],
])('a file storage in %s', (_, start) => {
  let storage: StartedStorage;
  let folder: string;
  let count = 0;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'carillon-incoming-'));
    storage = await start();
  });
  afterAll(async () => {
    await storage.stop();
    await rm(folder, { recursive: true });
  });

  const newKey = () => `7/a1/${randomBytes(18).toString('base64url')}/name.txt`;

  async function store(key: string, bytes: Buffer | string): Promise<void> {
    count += 1;
    const incoming = path.join(folder, String(count));
    await writeFile(incoming, bytes);
    await storage.sut.store(key, { path: incoming, contentType: 'text/plain' });
  }

  const read = async (key: string, first?: number, last?: number) =>
    buffer(
      await storage.sut.read(
        key,
        first === undefined || last === undefined ? null : { first, last },
      ),
    );

  it.each(['', 'one line\n', 'grüße ☂️'])('gives back %j', async (text) => {
    const key = newKey();
    await store(key, text);
    expect((await read(key)).toString()).toBe(text);
  });

  it('gives back a file of many parts, byte for byte', async () => {
    const key = newKey();
    const bytes = randomBytes(20 * 1_048_576 + 1);
    await store(key, bytes);
    expect((await read(key)).equals(bytes)).toBe(true);
    expect(
      (await read(key, 8_388_600, 16_777_300)).equals(bytes.subarray(8_388_600, 16_777_301)),
    ).toBe(true);
  });

  it('gives back a range, both ends included', async () => {
    const key = newKey();
    await store(key, '0123456789');
    expect(String(await read(key, 3, 3))).toBe('3');
    expect(String(await read(key, 0, 5))).toBe('012345');
    expect(String(await read(key, 0, 9))).toBe('0123456789');
  });

  it.each(['名前.txt', 'ü.png', '...', 'a b+c%20&d=e', 'x'.repeat(200)])(
    'keeps a file called %j',
    async (name) => {
      const key = newKey().replace('name.txt', name);
      await store(key, name);
      expect(String(await read(key))).toBe(name);
    },
  );

  it('puts a file in the place of another', async () => {
    const key = newKey();
    await store(key, 'first');
    await store(key, 'second');
    expect(String(await read(key))).toBe('second');
  });

  it('keeps files of one folder apart', async () => {
    const key = newKey();
    await Promise.all([store(`${key}-1`, 'one'), store(`${key}-2`, 'two'), store(`${key}-3`, '3')]);
    await storage.sut.remove(`${key}-3`);
    expect(String(await read(`${key}-1`))).toBe('one');
    expect(String(await read(`${key}-2`))).toBe('two');
  });

  it('has no file under a key that nothing was stored under, or not any more', async () => {
    const key = newKey();
    await expect(storage.sut.read(key)).rejects.toThrow(FileMissing);
    await store(key, 'x');
    await expect(storage.sut.read(path.dirname(key))).rejects.toThrow(FileMissing);
    await expect(storage.sut.read(`${key}/below`)).rejects.toThrow(FileMissing);
    await storage.sut.remove(key);
    await expect(storage.sut.read(key)).rejects.toThrow(FileMissing);
  });

  it('removes a file that there is none of', async () => {
    await expect(storage.sut.remove(newKey())).resolves.toBeUndefined();
    await expect(storage.sut.remove('../up')).resolves.toBeUndefined();
  });

  it.each(['../up', '/etc/passwd', 'a/../../up', '..', '', 'a//b', 'a\\..\\b', 'a\0b'])(
    'looks nowhere for %j, and keeps nothing there',
    async (key) => {
      await expect(storage.sut.read(key)).rejects.toThrow(FileMissing);
      await expect(store(key, 'x')).rejects.toThrow(FileMissing);
      expect(await readdir(folder)).toContain(String(count));
    },
  );

  it('rejects, and keeps nothing, when what is to be kept is not there', async () => {
    const key = newKey();
    const gone = { path: path.join(folder, 'gone'), contentType: 'text/plain' };
    await expect(storage.sut.store(key, gone)).rejects.toThrow('ENOENT');
    await expect(storage.sut.read(key)).rejects.toThrow(FileMissing);
  });
});

describe('a bucket', () => {
  it('is unavailable when its server is down', async () => {
    const server = await startS3Server();
    const sut = await s3StorageAt(server.endpoint);
    await server.stop();
    await expect(sut.read('a')).rejects.toThrow(StorageUnavailable);
    await expect(sut.remove('a')).rejects.toThrow(StorageUnavailable);
  });

  it('fails with a clear error when it does not exist', async () => {
    const server = await startS3Server();
    const sut = await s3StorageAt(server.endpoint, 'no-such-bucket');
    await expect(sut.read('a')).rejects.toThrow('NoSuchBucket: check S3_BUCKET');
    await server.stop();
  });
});
