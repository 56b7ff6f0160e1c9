import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { isOutage } from '#platform/core';
import { FileMissing } from './file-storage.js';
import { S3FileStorage, type S3Options } from './s3-file-storage.js';

const KEY = '7/a1/token/name.txt';

let answer: RequestListener;
let server: Server;
let options: S3Options;
let sut: S3FileStorage;
let warn: ReturnType<typeof jest.spyOn>;

beforeEach(async () => {
  warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  server = createServer((request, response) => answer(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  options = {
    bucket: 'files',
    region: 'eu',
    endpoint: `http://127.0.0.1:${port}`,
    accessKeyId: 'id',
    secretAccessKey: 'hunter2',
    hasPathStyle: true,
  };
  sut = new S3FileStorage(options);
});

afterEach(() => {
  sut.onApplicationShutdown();
  server.closeAllConnections();
  server.close();
  warn.mockRestore();
});

const refuseWith =
  (status: number, code: string): RequestListener =>
  (_request, response) => {
    response
      .writeHead(status, { 'content-type': 'application/xml' })
      .end(`<Error><Code>${code}</Code><Message>hunter2</Message></Error>`);
  };

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => new Error('It did not fail'),
    (error: unknown) => error as Error, // Nothing else is thrown.
  );

describe(S3FileStorage.name, () => {
  it.each([
    [403, 'AccessDenied', 'S3_SECRET_ACCESS_KEY'],
    [403, 'SignatureDoesNotMatch', 'S3_SECRET_ACCESS_KEY'],
    [404, 'NoSuchBucket', 'S3_BUCKET'],
    [400, 'AuthorizationHeaderMalformed', 'S3_REGION'],
    [301, 'PermanentRedirect', 'S3_REGION'],
    [503, 'SlowDown', 'files answers 503 SlowDown'],
  ])('is unavailable after %i %s, and logs the cause once', async (status, code, cause) => {
    answer = refuseWith(status, code);
    for (const work of [() => sut.read(KEY), () => sut.remove(KEY)]) {
      const failure = await failureOf(work());
      expect(isOutage(failure)).toBe(true);
      expect(failure.message).toContain(code);
      expect(failure.message).toContain(cause);
    }
    const entries = warn.mock.calls.flat().join('');
    expect(warn).toHaveBeenCalledTimes(1);
    expect(entries).toContain(cause);
    expect(entries).not.toContain('hunter2');
  });

  it('misses a file that the bucket does not have', async () => {
    answer = refuseWith(404, 'NoSuchKey');
    expect(await failureOf(sut.read(KEY))).toBeInstanceOf(FileMissing);
    expect(warn).not.toHaveBeenCalled();
  });

  it('is unavailable while the service does not answer', async () => {
    answer = () => undefined;
    sut.onApplicationShutdown();
    sut = new S3FileStorage(options, 100);
    for (const work of [() => sut.read(KEY), () => sut.remove(KEY)]) {
      const failure = await failureOf(work());
      expect(isOutage(failure)).toBe(true);
      expect(failure.message).toContain('S3_ENDPOINT');
    }
  });

  it('does not blame the service for a local file that is gone', async () => {
    answer = (_request, response) => response.end();
    const failure = await failureOf(
      sut.store(KEY, { path: '/nowhere/at/all', contentType: 'text/plain' }),
    );
    expect(failure).toMatchObject({ code: 'ENOENT' });
  });
});
