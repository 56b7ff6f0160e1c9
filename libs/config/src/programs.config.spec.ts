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
        connections: {
          bodyMs: 30_000,
          sendStallMs: 60_000,
          keepAliveMs: 72_000,
          maxConnections: 10_000,
          maxConnectionsPerAddress: 1000,
        },
      },
      auth: {
        apiKeySecret: Buffer.alloc(32, 1),
        cacheSeconds: 30,
        signInRules: [{ seconds: 1800, calls: 5 }],
      },
      rateLimits: {
        perUser: [{ seconds: 60, calls: 200 }],
        perAddress: [{ seconds: 60, calls: 100 }],
        ofFiles: [{ seconds: 60, calls: 1000 }],
      },
      presence: { addresses: [{ host: '127.0.0.1', port: 9993 }] },
    });
  });

  it('traces only to a collector that it is told of, and tells metrics only on a port of their own', () => {
    const given = { ...stores, ...secret };
    expect(readApiGatewayConfig(given)).toMatchObject({ tracing: null, metrics: null });
    const observed = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_TRACES_SAMPLER_ARG: '0.1',
      GATEWAY_METRICS_PORT: '9996',
    };
    expect(readApiGatewayConfig({ ...given, ...observed })).toMatchObject({
      tracing: { endpoint: 'http://collector:4318', ratio: 0.1 },
      metrics: { host: '127.0.0.1', port: 9996 },
    });
    expect(() => readApiGatewayConfig({ ...given, OTEL_TRACES_SAMPLER_ARG: '2' })).toThrow(
      'OTEL_TRACES_SAMPLER_ARG: expected a number from 0 to 1',
    );
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
  it('needs the stores, and serves every queue, with the providers at their real hosts', () => {
    expect(readPushWorkerConfig(stores)).toMatchObject({
      queues: ['apns', 'apns-bulk', 'fcm', 'fcm-bulk', 'control'],
      health: { port: 9998 },
      apns: {
        driver: 'http2',
        hosts: {
          production: { host: 'api.push.apple.com', port: 443 },
          sandbox: { host: 'api.sandbox.push.apple.com', port: 443 },
        },
        signIn: null,
        appsFile: null,
      },
      fcm: {
        driver: 'http2',
        host: 'fcm.googleapis.com',
        port: 443,
        serviceAccountFile: undefined,
      },
    });
  });

  it('serves the queues that it is told to', () => {
    const queuesOf = (PUSH_QUEUES: string) =>
      readPushWorkerConfig({ ...stores, PUSH_QUEUES }).queues;
    expect(queuesOf('fcm-bulk, apns')).toEqual(['apns', 'fcm-bulk']);
    for (const names of ['fcm,wns', ',']) {
      expect(() => queuesOf(names)).toThrow(
        'PUSH_QUEUES: expected names with commas between, of: apns, apns-bulk, fcm, fcm-bulk, control',
      );
    }
  });

  it.each([
    ["at both of Apple's hosts", {}, ['production', 'sandbox']],
    ['at a host that is given alone', { APNS_HOST: '127.0.0.1' }, ['production']],
    [
      'at two hosts that are given',
      { APNS_HOST: '127.0.0.1', APNS_SANDBOX_HOST: '127.0.0.1' },
      ['production', 'sandbox'],
    ],
    [
      'in the order that is given',
      { APNS_ENVIRONMENTS: 'sandbox, production' },
      ['sandbox', 'production'],
    ],
    ['where told to', { APNS_HOST: '127.0.0.1', APNS_ENVIRONMENTS: 'sandbox' }, ['sandbox']],
  ])('looks for iPhones %s', (_where, given, environments) => {
    expect(readPushWorkerConfig({ ...stores, ...given }).apns.environments).toEqual(environments);
  });

  it('signs in with Apple by a key or by a certificate', () => {
    const signInOf = (given: Record<string, string>) =>
      readPushWorkerConfig({ ...stores, ...given }).apns.signIn;
    const key = { APNS_KEY_FILE: 'k.p8', APNS_KEY_ID: 'KEY', APNS_TEAM_ID: 'TEAM' };
    const certificate = { APNS_CERTIFICATE_FILE: 'c.pem', APNS_CERTIFICATE_KEY_FILE: 'c.key' };
    expect(signInOf(key)).toEqual({
      kind: 'token',
      keyFile: 'k.p8',
      keyId: 'KEY',
      teamId: 'TEAM',
    });
    expect(signInOf(certificate)).toEqual({
      kind: 'certificate',
      certificateFile: 'c.pem',
      privateKeyFile: 'c.key',
    });
    expect(() => signInOf({ ...key, ...certificate })).toThrow('one is enough');
  });

  it.each([
    [
      { APNS_KEY_FILE: 'k.p8', APNS_KEY_ID: 'KEY' },
      'APNS_TEAM_ID is not set, but APNS_KEY_FILE is',
    ],
    [
      { APNS_CERTIFICATE_KEY_FILE: 'c.key' },
      'APNS_CERTIFICATE_FILE is not set, but APNS_CERTIFICATE_KEY_FILE is',
    ],
    [
      { APNS_ENVIRONMENTS: 'production,staging' },
      'APNS_ENVIRONMENTS: expected production, sandbox, or both with a comma between',
    ],
  ])('does not take %j', (given, message) => {
    expect(() => readPushWorkerConfig({ ...stores, ...given })).toThrow(message);
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
  [
    readTestStoresConfig.name,
    readTestStoresConfig,
    ['TEST_DATABASE_URL', 'TEST_REDIS_URL', 'TEST_GATEWAYS_PORT'],
  ],
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
