import { describe, expect, it } from '@jest/globals';
import {
  ConfigError,
  readApiGatewayConfig,
  readPresenceConfig,
  readPushSandboxConfig,
  readPushWorkerConfig,
  readTestStoresConfig,
} from './index.js';

const stores = { DATABASE_URL: 'postgresql://u@db/carillon', REDIS_URL: 'redis://cache' };
const secret = { API_KEY_SECRET: Buffer.alloc(32, 1).toString('base64') };

describe(readApiGatewayConfig.name, () => {
  it('needs the stores and the secret, and has a default for all else', () => {
    expect(readApiGatewayConfig({ ...stores, ...secret })).toMatchObject({
      logging: { level: 'log', format: 'json' },
      database: { url: stores.DATABASE_URL, poolSize: 10 },
      redis: { url: stores.REDIS_URL },
      http: {
        host: '127.0.0.1',
        port: 9991,
        externalUrl: 'http://127.0.0.1:9991',
        trustedProxies: [],
        servesDocs: true,
      },
      auth: {
        apiKeySecret: Buffer.alloc(32, 1),
        cacheSeconds: 30,
        signInRules: [{ seconds: 1800, calls: 5 }],
      },
      rateLimits: {
        perUser: [{ seconds: 60, calls: 200 }],
        perAddress: [{ seconds: 60, calls: 100 }],
      },
      presence: { addresses: [{ host: '127.0.0.1', port: 9993 }] },
    });
  });

  it('is reached at its own port, unless told of another address', () => {
    const given = { ...stores, ...secret, PORT: '8080' };
    expect(readApiGatewayConfig(given).http.externalUrl).toBe('http://127.0.0.1:8080');
    const EXTERNAL_URL = 'https://chat.example.org/somewhere/';
    expect(readApiGatewayConfig({ ...given, EXTERNAL_URL }).http.externalUrl).toBe(
      'https://chat.example.org',
    );
  });

  it('cannot be changed', () => {
    expect(Object.isFrozen(readApiGatewayConfig({ ...stores, ...secret }))).toBe(true);
  });
});

describe(readPresenceConfig.name, () => {
  it('needs the stores, and has a default for all else', () => {
    expect(readPresenceConfig(stores)).toMatchObject({
      rpc: { host: '127.0.0.1', port: 9993 },
      health: { port: 9997 },
      limitsAccess: false,
    });
  });
});

describe(readPushWorkerConfig.name, () => {
  it('needs the stores, and serves both platforms at their real hosts', () => {
    expect(readPushWorkerConfig(stores)).toMatchObject({
      platforms: ['apns', 'fcm'],
      health: { port: 9998 },
      apns: { host: 'api.push.apple.com', port: 443, keyFile: undefined },
      fcm: { host: 'fcm.googleapis.com', port: 443, serviceAccountFile: undefined },
    });
  });

  it('serves the platforms that it is told to', () => {
    expect(readPushWorkerConfig({ ...stores, PUSH_PLATFORMS: 'fcm' }).platforms).toEqual(['fcm']);
    expect(() => readPushWorkerConfig({ ...stores, PUSH_PLATFORMS: 'fcm,wns' })).toThrow(
      'PUSH_PLATFORMS: expected apns, fcm, or both',
    );
  });
});

describe(readPushSandboxConfig.name, () => {
  it('needs nothing', () => {
    expect(readPushSandboxConfig({})).toMatchObject({
      dataDir: '.data',
      port: 9992,
      apnsPort: 9994,
      fcmPort: 9995,
    });
  });
});

describe.each([
  [readApiGatewayConfig.name, readApiGatewayConfig, ['DATABASE_URL', 'REDIS_URL']],
  [readPresenceConfig.name, readPresenceConfig, ['DATABASE_URL', 'REDIS_URL']],
  [readPushWorkerConfig.name, readPushWorkerConfig, ['DATABASE_URL', 'REDIS_URL']],
  [readTestStoresConfig.name, readTestStoresConfig, ['TEST_DATABASE_URL', 'TEST_REDIS_URL']],
])('what %s needs', (_name, read, names) => {
  it('is named when it is not there', () => {
    expect(() => read({})).toThrow(ConfigError);
    for (const name of names) expect(() => read({})).toThrow(`${name} is not set`);
  });

  it('is named, but not shown, when it is of no use', () => {
    const environment = Object.fromEntries(names.map((name) => [name, 'ftp://hunter2@host']));
    for (const name of names) expect(() => read(environment)).toThrow(`${name}: expected`);
    expect(() => read(environment)).not.toThrow('hunter2');
  });
});
