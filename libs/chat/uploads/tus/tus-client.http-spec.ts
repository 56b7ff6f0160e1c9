import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type HttpResponse, Upload, type UploadOptions } from 'tus-js-client';
import { MEBIBYTE } from '#platform/contracts';
import { basicAuthorization } from '#test/api-client';
import { startGateway, useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway({});

const authorization = () => basicAuthorization(system.user('alice'));

/** Uploads a file like a client; resolves with the body of the last response. */
function uploadAll(
  bytes: Buffer,
  {
    onAfterAnswer,
    ...options
  }: UploadOptions & { readonly onAfterAnswer?: (method: string, status: number) => void },
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    let last: HttpResponse | undefined;
    const upload = new Upload(bytes, {
      ...usual(),
      ...options,
      onAfterResponse: (request, response) => {
        last = response;
        onAfterAnswer?.(request.getMethod(), response.getStatus());
      },
      onError: reject,
      onSuccess: () => resolve(JSON.parse(last?.getBody() ?? '{}')),
    });
    upload.start();
  });
}

/** Aborts an upload after a number of bytes; resolves with its address. */
function uploadSome(bytes: Buffer, until: number, options: UploadOptions = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const upload = new Upload(bytes, {
      ...usual(),
      chunkSize: 3 * MEBIBYTE,
      ...options,
      onError: reject,
      onProgress: (sent) => {
        if (sent < until || upload.url === null) return;
        const { url } = upload;
        void upload.abort().then(() => resolve(url));
      },
    });
    upload.start();
  });
}

const usual = (): UploadOptions => ({
  endpoint: `${system.gatewayUrl}/api/v1/tus`,
  headers: { Authorization: authorization() },
  metadata: { filename: 'large file.bin', filetype: 'application/x-large' },
  retryDelays: null,
  storeFingerprintForResuming: false,
});

async function download(url: unknown): Promise<Buffer> {
  const reply = await fetch(system.gatewayUrl + String(url), {
    headers: { authorization: authorization() },
  });
  return Buffer.from(await reply.arrayBuffer());
}

describe('tus-js-client', () => {
  it('uploads a file in one request', async () => {
    const bytes = randomBytes(3 * MEBIBYTE);
    const answer = await uploadAll(bytes, {});
    expect(answer).toMatchObject({ filename: 'large file.bin' });
    expect((await download(answer['url'])).equals(bytes)).toBe(true);
  });

  it('resumes after an interruption at the last byte', async () => {
    const bytes = randomBytes(12 * MEBIBYTE);
    const uploadUrl = await uploadSome(bytes, 5 * MEBIBYTE);
    const sent: number[] = [];
    const answer = await uploadAll(bytes, {
      uploadUrl,
      chunkSize: MEBIBYTE,
      onProgress: (from) => sent.push(from),
    });
    expect(answer).toEqual({
      url: expect.stringMatching(/\/large-file\.bin$/),
      filename: 'large file.bin',
    });
    expect(Math.min(...sent)).toBeGreaterThanOrEqual(3 * MEBIBYTE);
    expect((await download(answer['url'])).equals(bytes)).toBe(true);
  });

  it('uploads in chunks', async () => {
    const bytes = randomBytes(2 * MEBIBYTE + 17);
    const answer = await uploadAll(bytes, { chunkSize: 700_000 });
    expect((await download(answer['url'])).equals(bytes)).toBe(true);
  });

  it('uploads an empty file', async () => {
    expect(await uploadAll(Buffer.alloc(0), {})).toMatchObject({ filename: 'large file.bin' });
  });
});

describe('tus-js-client beyond the rate limit', () => {
  const RATE_LIMIT = '10:5';
  const limited = useFixture(() => startGateway({ RATE_LIMIT_USER: RATE_LIMIT }));

  it('goes on where the upload was', async () => {
    const endpoint = `${limited.gatewayUrl}/api/v1/tus`;
    const headers = { Authorization: basicAuthorization(limited.user('alice')) };
    const bytes = randomBytes(4 * MEBIBYTE);
    const uploadUrl = await uploadSome(bytes, 3 * MEBIBYTE, { endpoint, headers });
    while ((await limited.api('alice').get('/users/me')).status !== 429);
    const statuses: string[] = [];
    const sent: number[] = [];
    await uploadAll(bytes, {
      endpoint,
      headers,
      uploadUrl,
      retryDelays: Array.from({ length: 60 }, () => 500),
      onProgress: (from) => sent.push(from),
      onAfterAnswer: (method, status) => statuses.push(`${method} ${status}`),
    });
    expect(statuses[0]).toBe('HEAD 423');
    expect(new Set(statuses)).toEqual(new Set(['HEAD 423', 'HEAD 200', 'PATCH 200']));
    expect(Math.min(...sent)).toBeGreaterThanOrEqual(3 * MEBIBYTE);
  });

  it('is told to sign in for a wrong key', async () => {
    const reply = await fetch(`${limited.gatewayUrl}/api/v1/tus/x`, {
      method: 'HEAD',
      headers: { authorization: basicAuthorization({ email: 'nobody@x.test', api_key: 'x' }) },
    });
    expect(reply.status).toBe(401);
  });
});

describe('Unfinished uploads', () => {
  const folder = () =>
    path.join(String(system.environmentOf('api-gateway')['DATA_DIR']), 'uploads', 'unfinished');

  it('leave no data behind when they are finished', async () => {
    await uploadAll(Buffer.from('abc'), {});
    const left = await readdir(folder());
    await uploadAll(Buffer.from('abc'), {});
    expect(await readdir(folder())).toEqual(left);
  });

  it('start again when a crash has interrupted the end of an upload', async () => {
    const bytes = randomBytes(MEBIBYTE);
    const uploadUrl = await uploadSome(bytes, 1);
    const file = path.join(folder(), path.basename(uploadUrl));
    await writeFile(file, bytes);
    const answer = await uploadAll(bytes, { uploadUrl });
    expect((await download(answer['url'])).equals(bytes)).toBe(true);
    await expect(readFile(file)).rejects.toThrow('ENOENT');
  });
});
