import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readApiGatewayConfig } from './api-gateway.config.js';
import { uploadsOf, videoCallsOf } from './api-gateway.variables.js';
import { ConfigError } from './read-variables.js';

const needed = {
  DATABASE_URL: 'postgresql://u@db/carillon',
  REDIS_URL: 'redis://cache',
  API_KEY_SECRET: Buffer.alloc(32, 1).toString('base64'),
};
const bucket = { S3_BUCKET: 'files', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'hunter2' };

const readUploads = (environment: Record<string, string>) =>
  readApiGatewayConfig({ ...needed, ...environment }).uploads;

describe(uploadsOf.name, () => {
  it('keeps files of up to 100 MiB in the data folder by default', () => {
    const folder = path.join('.data', 'uploads');
    expect(readUploads({})).toEqual({
      folder,
      limitMib: 100,
      unfinishedMs: 3_600_000,
      leastFreeMib: 256,
      s3: null,
    });
    expect(readUploads({ DATA_DIR: '/srv' }).folder).toBe('/srv/uploads');
    expect(readUploads({ DATA_DIR: '/srv', UPLOADS_DIR: '/files' }).folder).toBe('/files');
  });

  it.each(['0', '102401', '25 MiB'])('rejects a limit of %s', (given) => {
    expect(() => readUploads({ MAX_FILE_UPLOAD_SIZE: given })).toThrow(
      'MAX_FILE_UPLOAD_SIZE: expected',
    );
  });

  it('accepts a bucket with its key', () => {
    expect(readUploads(bucket).s3).toEqual({
      bucket: 'files',
      region: 'us-east-1',
      endpoint: undefined,
      accessKeyId: 'id',
      secretAccessKey: 'hunter2',
      hasPathStyle: false,
    });
  });

  it('accepts a bucket of another service', () => {
    const elsewhere = { S3_REGION: 'eu', S3_ENDPOINT: 'http://minio:9000', S3_PATH_STYLE: 'true' };
    expect(readUploads({ ...bucket, ...elsewhere }).s3).toMatchObject({
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
  ])('reports "%s" and shows no value', (text, environment) => {
    expect(() => readUploads(environment)).toThrow(ConfigError);
    expect(() => readUploads(environment)).toThrow(text);
    expect(() => readUploads(environment)).not.toThrow('hunter2');
  });
});

const readVideoCalls = (environment: Record<string, string>) =>
  readApiGatewayConfig({ ...needed, ...environment }).videoCalls;

const webex = { WEBEX_CLIENT_ID: 'webex-id', WEBEX_CLIENT_SECRET: 'webex-secret' };
const zoom = { ZOOM_CLIENT_ID: 'zoom-id', ZOOM_CLIENT_SECRET: 'zoom-secret' };

describe(videoCallsOf.name, () => {
  it('enables no provider by default', () => {
    expect(readVideoCalls({})).toEqual({ deadlineMs: 5000, webex: null, zoom: null });
    expect(readVideoCalls({ WEBEX_CLIENT_ID: '', WEBEX_CLIENT_SECRET: '' })).toMatchObject({
      webex: null,
    });
  });

  it('enables a provider with both credentials, at its real address', () => {
    expect(readVideoCalls(webex)).toEqual({
      deadlineMs: 5000,
      webex: {
        clientId: 'webex-id',
        clientSecret: 'webex-secret',
        apiUrl: 'https://webexapis.com',
      },
      zoom: null,
    });
    expect(readVideoCalls(zoom)).toMatchObject({
      webex: null,
      zoom: {
        clientId: 'zoom-id',
        clientSecret: 'zoom-secret',
        oauthUrl: 'https://zoom.us',
        apiUrl: 'https://api.zoom.us',
      },
    });
  });

  it('accepts other addresses, with or without a trailing slash', () => {
    const environment = { ...webex, WEBEX_API_URL: 'http://127.0.0.1:8000/webex/' };
    expect(readVideoCalls(environment)).toMatchObject({
      webex: { apiUrl: 'http://127.0.0.1:8000/webex' },
    });
    expect(() => readVideoCalls({ ZOOM_API_URL: 'ftp://zoom.us' })).toThrow(
      'ZOOM_API_URL: expected',
    );
  });

  it.each([
    ['WEBEX_CLIENT_SECRET', { WEBEX_CLIENT_ID: 'id' }],
    ['WEBEX_CLIENT_ID', { WEBEX_CLIENT_SECRET: 'hunter2', ...zoom }],
    ['ZOOM_CLIENT_SECRET', { ZOOM_CLIENT_ID: 'id', ...webex }],
    ['ZOOM_CLIENT_ID', { ZOOM_CLIENT_SECRET: 'hunter2' }],
  ])('names %s if only the other half is set, and shows no value', (name, environment) => {
    expect(() => readVideoCalls(environment)).toThrow(ConfigError);
    expect(() => readVideoCalls(environment)).toThrow(`${name} is not set, but `);
    expect(() => readVideoCalls(environment)).not.toThrow('hunter2');
  });

  it.each(['99', '30001', 'soon'])('rejects a deadline of %s ms', (given) => {
    expect(() => readVideoCalls({ VIDEO_CALL_DEADLINE_MS: given })).toThrow(
      'VIDEO_CALL_DEADLINE_MS',
    );
  });
});
