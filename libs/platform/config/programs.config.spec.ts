import { describe, expect, it } from '@jest/globals';
import { readApiGatewayConfig } from './api-gateway.config.js';
import { readPushSandboxConfig, readTestStoresConfig } from './local-stack.config.js';
import { readPresenceConfig } from './presence.config.js';
import { readPushWorkerConfig } from './push-worker.config.js';
import { ConfigError } from './read-variables.js';

const stores = { DATABASE_URL: 'postgresql://u@db/carillon', REDIS_URL: 'redis://cache' };
const secret = { API_KEY_SECRET: Buffer.alloc(32, 1).toString('base64') };

describe(readApiGatewayConfig.name, () => {
  it('requires the stores and the secret, and has defaults for the rest', () => {
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
        eventQueues: [{ seconds: 60, calls: 600 }],
      },
      presence: { addresses: [{ host: '127.0.0.1', port: 9993 }], discoveryMs: 5000 },
    });
  });

  it('sends traces only to a configured collector, and serves metrics only on a configured port', () => {
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

  it('has its own port as external address by default', () => {
    const given = { ...stores, ...secret, PORT: '8080' };
    expect(readApiGatewayConfig(given).http.externalUrl).toBe('http://127.0.0.1:8080');
    const EXTERNAL_URL = 'https://chat.example.org/somewhere/';
    expect(readApiGatewayConfig({ ...given, EXTERNAL_URL }).http.externalUrl).toBe(
      'https://chat.example.org',
    );
  });

  it('names the variable with an invalid address of presence', () => {
    const given = { ...stores, ...secret };
    const read = (nonsense: object) => () => readApiGatewayConfig({ ...given, ...nonsense });
    expect(read({ PRESENCE_ADDRESSES: 'http://presence:9993' })).toThrow(
      'PRESENCE_ADDRESSES: expected host:port',
    );
    expect(read({ PRESENCE_DISCOVERY_SECONDS: '0' })).toThrow(
      'PRESENCE_DISCOVERY_SECONDS: expected a whole number from 1 to 300',
    );
  });

  it('is frozen', () => {
    expect(Object.isFrozen(readApiGatewayConfig({ ...stores, ...secret }))).toBe(true);
  });
});

describe(readPresenceConfig.name, () => {
  it('requires the stores, and has defaults for the rest', () => {
    expect(readPresenceConfig(stores)).toMatchObject({
      rpc: { host: '127.0.0.1', port: 9993 },
      health: { port: 9997 },
      limitsAccess: false,
    });
  });
});

describe(readPushWorkerConfig.name, () => {
  it('requires the stores, consumes every queue and uses the real hosts of the providers by default', () => {
    expect(readPushWorkerConfig(stores)).toMatchObject({
      queues: [
        'push-apns',
        'push-apns-bulk',
        'push-fcm',
        'push-fcm-bulk',
        'push-web',
        'push-web-bulk',
        'push-control',
      ],
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

  it('consumes the configured queues', () => {
    const queuesOf = (PUSH_QUEUES: string) =>
      readPushWorkerConfig({ ...stores, PUSH_QUEUES }).queues;
    expect(queuesOf('fcm-bulk, apns')).toEqual(['push-apns', 'push-fcm-bulk']);
    for (const names of ['fcm,wns', ',']) {
      expect(() => queuesOf(names)).toThrow(
        'PUSH_QUEUES: expected names with commas between, of: apns, apns-bulk, fcm, fcm-bulk, web, web-bulk, control',
      );
    }
  });

  it.each([
    ["at both of Apple's hosts", {}, ['production', 'sandbox']],
    ['at a lone production host', { APNS_HOST: '127.0.0.1' }, ['production']],
    [
      'at two configured hosts',
      { APNS_HOST: '127.0.0.1', APNS_SANDBOX_HOST: '127.0.0.1' },
      ['production', 'sandbox'],
    ],
    [
      'in the configured order',
      { APNS_ENVIRONMENTS: 'sandbox, production' },
      ['sandbox', 'production'],
    ],
    [
      'in a configured environment',
      { APNS_HOST: '127.0.0.1', APNS_ENVIRONMENTS: 'sandbox' },
      ['sandbox'],
    ],
  ])('looks for iPhones %s', (_where, given, environments) => {
    expect(readPushWorkerConfig({ ...stores, ...given }).apns.environments).toEqual(environments);
  });

  it('authenticates with Apple by a key or by a certificate', () => {
    const signInOf = (given: Record<string, string>) =>
      readPushWorkerConfig({ ...stores, ...given }).apns.signIn;
    const key = {
      APNS_KEY_FILE: 'k.p8',
      APNS_KEY_ID: 'KEY1234567',
      APNS_TEAM_ID: 'TEAM123456',
    };
    const certificate = { APNS_CERTIFICATE_FILE: 'c.pem', APNS_CERTIFICATE_KEY_FILE: 'c.key' };
    expect(signInOf(key)).toEqual({
      kind: 'token',
      keyFile: 'k.p8',
      keyId: 'KEY1234567',
      teamId: 'TEAM123456',
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
      { APNS_KEY_FILE: 'k.p8', APNS_KEY_ID: 'KEY1234567' },
      'APNS_TEAM_ID is not set, but APNS_KEY_FILE is',
    ],
    [
      { APNS_CERTIFICATE_KEY_FILE: 'c.key' },
      'APNS_CERTIFICATE_FILE is not set, but APNS_CERTIFICATE_KEY_FILE is',
    ],
    [{ APNS_KEY_ID: 'KEY' }, 'APNS_KEY_ID: expected ten capital letters and digits'],
    [{ APNS_TEAM_ID: 'team123456' }, 'APNS_TEAM_ID: expected ten capital letters and digits'],
    [
      { APNS_ENVIRONMENTS: 'production,staging' },
      'APNS_ENVIRONMENTS: expected production, sandbox, or both with a comma between',
    ],
  ])('rejects %j', (given, message) => {
    expect(() => readPushWorkerConfig({ ...stores, ...given })).toThrow(message);
  });
});

describe(readPushSandboxConfig.name, () => {
  it('requires nothing', () => {
    expect(readPushSandboxConfig({})).toMatchObject({
      dataDir: '.data',
      port: 9992,
      apnsPort: 9994,
      publicHost: '127.0.0.1',
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
])('the required variables of %s', (_name, read, names) => {
  it('are named when they are missing', () => {
    expect(() => read({})).toThrow(ConfigError);
    for (const name of names) expect(() => read({})).toThrow(`${name} is not set`);
  });

  it('are named, but not shown, when they are invalid', () => {
    const environment = Object.fromEntries(names.map((name) => [name, 'ftp://hunter2@host']));
    for (const name of names) expect(() => read(environment)).toThrow(`${name}: expected`);
    expect(() => read(environment)).not.toThrow('hunter2');
  });
});
