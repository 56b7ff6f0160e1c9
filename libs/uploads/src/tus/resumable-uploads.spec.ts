import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ApiError, type Caller, roles } from '#contracts';
import { eventually } from '../../../../test/support/eventually.js';
import { ResumableUploads } from './resumable-uploads.js';

const HOUR_MS = 3_600_000;

const caller: Caller = {
  userId: 7,
  deliveryEmail: 'someone@chat.test',
  role: roles.member,
  isBot: false,
  isPresenceEnabled: true,
  joinedAt: 0,
  keyGeneration: 1,
  realm: { id: 3, subdomain: 'team', name: 'Chat', isPresenceDisabled: false },
};

describe(ResumableUploads.name, () => {
  let folder: string;
  let server: Server;
  let origin: string;
  let sut: ResumableUploads;
  /** What keeping an upload comes to. */
  let keep: () => Promise<{ url: string; fileName: string }>;
  /** The ids of uploads whose room is taken. */
  const reserved = new Set<string>();
  let isFull = false;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    folder = await mkdtemp(path.join(tmpdir(), 'carillon-tus-'));
    sut = new ResumableUploads(
      {
        reserve: async (_, id) => void reserved.add(id),
        prolong: () => Promise.resolve(),
        release: async (id) => void reserved.delete(id),
        releaseExpired: () => Promise.resolve(),
      },
      { execute: () => keep() },
      {
        folder,
        limitMib: 1,
        silenceMs: HOUR_MS,
        path: '/uploads',
        externalUrl: new URL('https://chat.example.org:8443'),
      },
      {
        check: async () => {
          if (isFull) throw new ApiError('insufficientStorage');
        },
      },
    );
    server = createServer((request, response) => void sut.handle(request, response, caller));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // It listens on TCP.
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true });
    Logger.overrideLogger(true);
  });

  /** Resolves with the id of a new upload of five bytes. */
  async function begin(): Promise<string> {
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

  it('is reached at the address of the organisation, whatever the request came to', async () => {
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

  it('removes what was silent for an hour, and only that', async () => {
    const [old, young] = [await begin(), await begin()];
    const longAgo = new Date(Date.now() - HOUR_MS - 1000);
    await utimes(path.join(folder, old), longAgo, longAgo);
    expect((await head(old)).status).toBe(410);
    await utimes(path.join(folder, `${old}.json`), longAgo, longAgo);
    expect(await sut.removeExpired()).toBe(1);
    expect((await head(old)).status).toBe(404);
    expect((await head(young)).status).toBe(200);
    expect([reserved.has(old), reserved.has(young)]).toEqual([false, true]);
  });

  it('gives the room of an upload back when it is removed, and when its creation is refused', async () => {
    const id = await begin();
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

  it('begins nothing on a disk that is nearly full', async () => {
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

  it('is kept once, whatever is asked of it meanwhile', async () => {
    const file = { url: '/user_uploads/1/a', fileName: 'a' };
    const id = await begin();
    let isBeingKept = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      isBeingKept = resolve;
    });
    let isKept = (_kept: typeof file): void => undefined;
    keep = () => {
      isBeingKept();
      return new Promise((resolve) => {
        isKept = resolve;
      });
    };
    const finished = finish(id);
    await begun;
    expect((await head(id)).headers.get('upload-offset')).toBe('5');
    expect((await finish(id, '', 5)).status).toBe(423);
    expect((await remove(id)).status).toBe(400);
    isKept(file);
    expect(await (await finished).json()).toEqual({ url: file.url, filename: file.fileName });
    expect((await remove(id)).status).toBe(404);
  });

  it.each([
    ['a quota that is used up', new ApiError('uploadQuotaExceeded'), 413, 'upload quota'],
    ['a defect', new Error('a secret of the house'), 500, 'Internal server error'],
    ['a disk that is full', Object.assign(new Error('no'), { code: 'ENOSPC' }), 507, 'no room'],
  ])('ends an upload with %s, so that a client can begin anew', async (_, error, status, text) => {
    keep = () => Promise.reject(error);
    const id = await begin();
    const reply = await finish(id);
    expect(reply.status).toBe(status);
    expect(await reply.json()).toEqual({ message: expect.stringContaining(text) });
    expect((await head(id)).status).toBe(404);
    expect((await readdir(folder)).filter((name) => name.startsWith(id))).toEqual([]);
    expect(reserved.has(id)).toBe(false);
  });
});
