import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ConfigError, readApiGatewayConfig } from './index.js';
import { uploadsOf } from './uploads.variables.js';

const needed = {
  DATABASE_URL: 'postgresql://u@db/carillon',
  REDIS_URL: 'redis://cache',
  API_KEY_SECRET: Buffer.alloc(32, 1).toString('base64'),
};
const bucket = { S3_BUCKET: 'files', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'hunter2' };

const read = (environment: Record<string, string>) =>
  readApiGatewayConfig({ ...needed, ...environment }).uploads;

describe(uploadsOf.name, () => {
  it('keeps files of up to 100 MiB in the data folder', () => {
    const folder = path.join('.data', 'uploads');
    expect(read({})).toEqual({
      folder,
      limitMib: 100,
      unfinishedMs: 3_600_000,
      leastFreeMib: 256,
      s3: null,
    });
    expect(read({ DATA_DIR: '/srv' }).folder).toBe('/srv/uploads');
    expect(read({ DATA_DIR: '/srv', UPLOADS_DIR: '/files' }).folder).toBe('/files');
  });

  it.each(['0', '102401', '25 MiB'])('refuses a limit of %s', (given) => {
    expect(() => read({ MAX_FILE_UPLOAD_SIZE: given })).toThrow('MAX_FILE_UPLOAD_SIZE: expected');
  });

  it('takes a bucket by its name and its key', () => {
    expect(read(bucket).s3).toEqual({
      bucket: 'files',
      region: 'us-east-1',
      endpoint: undefined,
      accessKeyId: 'id',
      secretAccessKey: 'hunter2',
      hasPathStyle: false,
    });
  });

  it('takes a bucket that is somewhere else', () => {
    const elsewhere = { S3_REGION: 'eu', S3_ENDPOINT: 'http://minio:9000', S3_PATH_STYLE: 'true' };
    expect(read({ ...bucket, ...elsewhere }).s3).toMatchObject({
      region: 'eu',
      endpoint: 'http://minio:9000',
      hasPathStyle: true,
    });
  });

  it.each([
    ['S3_BUCKET is not set, but S3_REGION is', { S3_REGION: 'eu' }],
    ['S3_BUCKET is not set, but S3_PATH_STYLE is', { S3_PATH_STYLE: 'false' }],
    ['S3_ACCESS_KEY_ID is not set, but S3_BUCKET is', { S3_BUCKET: 'b' }],
    ['S3_SECRET_ACCESS_KEY is not set, but S3_BUCKET is', { ...bucket, S3_SECRET_ACCESS_KEY: '' }],
    ['S3_BUCKET is not set, but S3_ACCESS_KEY_ID is', { ...bucket, S3_BUCKET: '' }],
  ])('says "%s", and shows no value', (text, environment) => {
    expect(() => read(environment)).toThrow(ConfigError);
    expect(() => read(environment)).toThrow(text);
    expect(() => read(environment)).not.toThrow('hunter2');
  });
});
