import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import S3rver from 's3rver';

/** A bucket that exists only for a test, behind S3's protocol. */
export interface S3Server {
  /** What reaches it, under the names of the gateway's variables. */
  readonly environment: Readonly<Record<`S3_${string}`, string>>;
  readonly endpoint: string;
  /** Doing so again is no error. */
  stop(): Promise<void>;
}

export const S3_TEST_BUCKET = 'uploads';

/** The one key that the server knows. */
export const S3_TEST_KEY = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' } as const;

export async function startS3Server(): Promise<S3Server> {
  const directory = await mkdtemp(path.join(tmpdir(), 'carillon-s3-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: S3_TEST_BUCKET, configs: [] }],
  });
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  let isRunning = true;
  return {
    endpoint,
    environment: {
      S3_BUCKET: S3_TEST_BUCKET,
      S3_ENDPOINT: endpoint,
      S3_ACCESS_KEY_ID: S3_TEST_KEY.accessKeyId,
      S3_SECRET_ACCESS_KEY: S3_TEST_KEY.secretAccessKey,
      S3_PATH_STYLE: 'true',
    },
    stop: async () => {
      if (!isRunning) return;
      isRunning = false;
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
