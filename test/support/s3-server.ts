import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import S3rver from 's3rver';

/** An S3 server with one empty bucket. */
export interface S3Server {
  /** The configuration variables with which the gateway uses this server. */
  readonly environment: Readonly<Record<`S3_${string}`, string>>;
  readonly endpoint: string;
  /** Idempotent. */
  stop(): Promise<void>;
}

export const S3_TEST_BUCKET = 'uploads';

/** The only access key that the server accepts. */
export const S3_TEST_KEY = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' } as const;

export async function startS3Server(): Promise<S3Server> {
  const directory = await mkdtemp(path.join(tmpdir(), 'carillon-s3-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    // A name of this server would be taken for that of a bucket.
    vhostBuckets: false,
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
