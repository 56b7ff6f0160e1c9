import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type HttpResponse, Upload, type UploadOptions } from 'tus-js-client';
import { MEBIBYTE } from '#platform/contracts';
import { basicAuthorization } from '#test/api-client';
import { useSystem } from '#test/use-system';

const system = useSystem({ programs: ['api-gateway'] });

const usual = (): UploadOptions => ({
  endpoint: `${system.gatewayUrl}/api/v1/tus`,
  headers: { Authorization: basicAuthorization(system.user('alice')) },
  metadata: { filename: 'large.bin' },
  chunkSize: 2 * MEBIBYTE,
  storeFingerprintForResuming: false,
});

/** Uploads until the gateway crashes in the middle of a chunk; resolves with the URL of the upload. */
function uploadUntilCrash(bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let crash: Promise<void> | undefined;
    const upload = new Upload(bytes, {
      ...usual(),
      retryDelays: null,
      onProgress: (sent) => {
        if (sent > 5 * MEBIBYTE) crash ??= system.kill('api-gateway', 'SIGKILL');
      },
      onError: () => void crash?.then(() => resolve(upload.url ?? '')),
    });
    upload.start();
  });
}

/** Resumes an upload; resolves with its first offset and the last response. */
function uploadRest(bytes: Buffer, uploadUrl: string) {
  return new Promise<{ from: number; answer: Record<string, unknown> }>((resolve, reject) => {
    let from: number | undefined;
    let last: HttpResponse | undefined;
    const upload = new Upload(bytes, {
      ...usual(),
      uploadUrl,
      onProgress: (sent) => {
        from ??= sent;
      },
      onAfterResponse: (_request, response) => {
        last = response;
      },
      onError: reject,
      onSuccess: () => resolve({ from: from ?? 0, answer: JSON.parse(last?.getBody() ?? '{}') }),
    });
    upload.start();
  });
}

describe('A resumable upload', () => {
  it('resumes after a crash of the gateway', async () => {
    const bytes = randomBytes(12 * MEBIBYTE);
    const uploadUrl = await uploadUntilCrash(bytes);
    await system.start('api-gateway');
    const { from, answer } = await uploadRest(bytes, uploadUrl);
    expect(from).toBeGreaterThanOrEqual(4 * MEBIBYTE);
    expect(answer).toMatchObject({ filename: 'large.bin' });
    const reply = await fetch(system.gatewayUrl + String(answer['url']), {
      headers: { authorization: basicAuthorization(system.user('alice')) },
    });
    expect(Buffer.from(await reply.arrayBuffer()).equals(bytes)).toBe(true);
  });
});
