import { mkdtemp, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { roles } from '#directory/roles';
import { ApiError, type Caller, requestErrors, signInErrors } from '#platform/contracts';
import { eventually } from '#test/eventually';
import { StorageUnavailable } from '../storage/file-storage.js';
import { uploadErrors } from '../uploads.errors.js';
import { ResumableUploads } from './resumable-uploads.js';
import { UnfinishedStore } from './unfinished-store.js';

const HOUR_MS = 3_600_000;

const caller: Caller = {
  userId: 7,
  deliveryEmail: 'someone@chat.test',
  role: roles.member,
  isBot: false,
  isPresenceEnabled: true,
  joinedAt: 0,
  keyGeneration: 1,
  realm: { id: 3, subdomain: 'team', isPresenceDisabled: false },
};

describe(ResumableUploads.name, () => {
  let folder: string;
  let server: Server;
  let origin: string;
  let sut: ResumableUploads;
  /** The result of storing a finished upload. */
  let storeFile: () => Promise<{ url: string; fileName: string }>;
  /** The ids of uploads with a reservation. */
  const reserved = new Set<string>();
  let isFull = false;
  let outage: Error | undefined;
  let confirm: () => Promise<unknown>;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    folder = await mkdtemp(path.join(tmpdir(), 'carillon-tus-'));
    sut = new ResumableUploads(
      {
        reserve: async (_, id) => {
          if (outage !== undefined) throw outage;
          reserved.add(id);
        },
        prolong: () => Promise.resolve(),
        release: async (id) => void reserved.delete(id),
        releaseExpired: () => Promise.resolve(),
      },
      { store: () => storeFile() },
      {
        folder,
        limitMib: 1,
        idleLimitMs: HOUR_MS,
        path: '/uploads',
        externalUrl: new URL('https://chat.example.org:8443'),
      },
      {
        check: async () => {
          if (isFull) throw new ApiError(requestErrors.insufficientStorage);
        },
      },
    );
    server = createServer(
      (request, response) => void sut.handle(request, response, caller, () => confirm()),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // It listens on TCP.
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    confirm = () => Promise.resolve();
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true });
    Logger.overrideLogger(true);
  });

  /** Resolves with the id of a new upload of five bytes. */
  async function create(): Promise<string> {
    const reply = await fetch(`${origin}/uploads`, {
      method: 'POST',
      headers: { 'tus-resumable': '1.0.0', 'upload-length': '5' },
    });
    return path.basename(String(reply.headers.get('location')));
  }

  const head = (id: string) =>
    fetch(`${origin}/uploads/${id}`, { method: 'HEAD', headers: { 'tus-resumable': '1.0.0' } });

  const remove = (id: string) =>
    fetch(`${origin}/uploads/${id}`, { method: 'DELETE', headers: { 'tus-resumable': '1.0.0' } });

  const finish = (id: string, body = 'hello', offset = 0) =>
    fetch(`${origin}/uploads/${id}`, {
      method: 'PATCH',
      body,
      headers: {
        'tus-resumable': '1.0.0',
        'upload-offset': String(offset),
        'content-type': 'application/offset+octet-stream',
      },
    });

  it('returns an address at the host of the organisation, independent of the request', async () => {
    const reply = await fetch(`${origin}/uploads`, {
      method: 'POST',
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '5',
        'x-forwarded-host': 'evil.example.org',
      },
    });
    expect(reply.headers.get('location')).toMatch(
      /^https:\/\/team\.chat\.example\.org:8443\/uploads\/3-7-[\w-]{24}$/,
    );
  });

  it('removes only uploads that were idle for an hour', async () => {
    const [old, young] = [await create(), await create()];
    const longAgo = new Date(Date.now() - HOUR_MS - 1000);
    await utimes(path.join(folder, old), longAgo, longAgo);
    expect((await head(old)).status).toBe(410);
    await utimes(path.join(folder, `${old}.json`), longAgo, longAgo);
    expect(await sut.removeExpired()).toBe(1);
    expect((await head(old)).status).toBe(404);
    expect((await head(young)).status).toBe(200);
    expect([reserved.has(old), reserved.has(young)]).toEqual([false, true]);
  });

  it('ends the reservation of an upload that is removed, or whose creation is rejected', async () => {
    const id = await create();
    expect(reserved.has(id)).toBe(true);
    expect((await remove(id)).status).toBe(204);
    expect(reserved.has(id)).toBe(false);
    const before = [...reserved];
    const reply = await fetch(`${origin}/uploads`, {
      method: 'POST',
      body: 'far too much',
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '5',
        'content-type': 'application/offset+octet-stream',
      },
    });
    expect(reply.status).toBe(413);
    await eventually(async () => expect([...reserved]).toEqual(before));
  });

  it('rejects an upload when the disk is nearly full', async () => {
    isFull = true;
    const reply = await fetch(`${origin}/uploads`, {
      method: 'POST',
      headers: { 'tus-resumable': '1.0.0', 'upload-length': '5' },
    });
    isFull = false;
    expect(reply.status).toBe(507);
    expect(await reply.json()).toEqual({
      message: 'The server has no room for files at the moment.',
    });
  });

  it('stores a finished upload once, and rejects other requests in the meantime', async () => {
    const file = { url: '/user_uploads/1/a', fileName: 'a' };
    const id = await create();
    let startStoring = (): void => undefined;
    const isStoring = new Promise<void>((resolve) => {
      startStoring = resolve;
    });
    let finishStoring = (_stored: typeof file): void => undefined;
    storeFile = () => {
      startStoring();
      return new Promise((resolve) => {
        finishStoring = resolve;
      });
    };
    const finished = finish(id);
    await isStoring;
    expect((await head(id)).headers.get('upload-offset')).toBe('5');
    expect((await finish(id, '', 5)).status).toBe(423);
    expect((await remove(id)).status).toBe(400);
    finishStoring(file);
    expect(await (await finished).json()).toEqual({ url: file.url, filename: file.fileName });
    expect((await remove(id)).status).toBe(404);
  });

  it('keeps a finished upload during an outage, so that the client can finish it again', async () => {
    const id = await create();
    storeFile = () => Promise.reject(new StorageUnavailable('no route', null));
    const reply = await finish(id);
    expect(reply.status).toBe(503);
    expect(reply.headers.get('retry-after')).toBe('1');
    expect(reserved.has(id)).toBe(true);
    const offset = Number((await head(id)).headers.get('upload-offset'));
    expect(offset).toBe(4);
    let stored = '';
    storeFile = async () => {
      stored = await readFile(path.join(folder, id), 'utf8');
      return { url: '/user_uploads/1/a', fileName: 'a' };
    };
    expect((await finish(id, 'hello'.slice(offset), offset)).status).toBe(200);
    expect(stored).toBe('hello');
    expect((await head(id)).status).toBe(404);
    expect(reserved.has(id)).toBe(false);
  });

  it.each([
    ['has ended', new ApiError(signInErrors.invalidApiKey), null],
    [
      'is refused for the number of calls',
      new ApiError(requestErrors.rateLimited, {}, { 'retry-after': 2.5 }),
      '2.5',
    ],
  ])(
    'keeps a finished upload whose sign-in %s, so that the client can finish it',
    async (_why, error, retryAfter) => {
      const id = await create();
      let isStored = false;
      storeFile = async () => {
        isStored = true;
        return { url: '/user_uploads/1/a', fileName: 'a' };
      };
      confirm = () => Promise.reject(error);
      const refused = await finish(id);
      expect(refused.status).toBe(error.error.status);
      expect(refused.headers.get('retry-after')).toBe(retryAfter);
      confirm = () => Promise.resolve();
      expect(isStored).toBe(false);
      expect((await head(id)).headers.get('upload-offset')).toBe('4');
      expect((await finish(id, 'o', 4)).status).toBe(200);
      expect(isStored).toBe(true);
    },
  );

  it.each([429, 503])('answers 423 for the offset of an upload in place of %s', async (status) => {
    const id = await create();
    const passing =
      status === 429
        ? new ApiError(requestErrors.rateLimited, {}, { 'retry-after': 2.5 })
        : new ApiError(requestErrors.temporarilyUnavailable);
    const read = jest.spyOn(UnfinishedStore.prototype, 'getUpload').mockRejectedValue(passing);
    const reply = await head(id);
    read.mockRestore();
    expect(reply.status).toBe(423);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await head(id)).status).toBe(200);
  });

  it('answers 503 when it cannot reserve the quota during an outage', async () => {
    outage = new Error('Connection terminated unexpectedly');
    const reply = await fetch(`${origin}/uploads`, {
      method: 'POST',
      headers: { 'tus-resumable': '1.0.0', 'upload-length': '5' },
    });
    outage = undefined;
    expect(reply.status).toBe(503);
    expect(reply.headers.get('retry-after')).toBe('1');
  });

  it.each([
    ['an exceeded quota', new ApiError(uploadErrors.uploadQuotaExceeded), 413, 'upload quota'],
    ['a defect', new Error('a secret of the house'), 500, 'Internal server error'],
    ['a full disk', Object.assign(new Error('no'), { code: 'ENOSPC' }), 507, 'no room'],
  ])(
    'ends an upload after %s, so that the client can start again',
    async (_, error, status, text) => {
      storeFile = () => Promise.reject(error);
      const id = await create();
      const reply = await finish(id);
      expect(reply.status).toBe(status);
      expect(await reply.json()).toEqual({ message: expect.stringContaining(text) });
      expect((await head(id)).status).toBe(404);
      expect((await readdir(folder)).filter((name) => name.startsWith(id))).toEqual([]);
      expect(reserved.has(id)).toBe(false);
    },
  );
});
