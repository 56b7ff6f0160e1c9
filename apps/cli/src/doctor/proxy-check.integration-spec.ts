import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readApiGatewayConfig, readPushWorkerConfig } from '#platform/config';
import { LoggingProxy } from '#test/logging-proxy';
import { CredentialsUnderTest } from '#test/push-credentials';
import { SandboxUnderTest } from '#test/push-sandbox-client';
import { useFixture } from '#test/use-fixture';
import { checkProxyOfGateway, checkProxyOfWorker } from './proxy-check.js';

/** A name that only the proxy resolves. */
const PROVIDERS = 'providers.test';

describe('checkProxyOfWorker', () => {
  const sandbox = useFixture(() => SandboxUnderTest.start(PROVIDERS));
  const files = useFixture(() => CredentialsUnderTest.make(sandbox));
  let proxy: LoggingProxy;
  beforeEach(async () => {
    proxy = await LoggingProxy.start();
  });
  afterEach(() => proxy.stop());

  /** The findings with a proxy that leads every name to the sandbox. */
  async function check(more: Readonly<Record<string, string>> = {}) {
    const { ports, folder } = sandbox;
    const config = readPushWorkerConfig({
      DATABASE_URL: 'postgresql://nobody@127.0.0.1/none',
      REDIS_URL: 'redis://127.0.0.1:1',
      ...files.byKey,
      FCM_SERVICE_ACCOUNT_FILE: files.pathOf('service-account.json'),
      APNS_HOST: PROVIDERS,
      APNS_PORT: String(ports.apns),
      APNS_CA_FILE: `${folder}/ca.pem`,
      FCM_HOST: 'fcm.test',
      FCM_PORT: String(ports.fcm),
      FCM_CA_FILE: `${folder}/ca.pem`,
      OUTBOUND_PROXY_URL: proxy.url,
      ...more,
    });
    const found = await checkProxyOfWorker(config);
    return Object.fromEntries(
      found.map(({ part, level, text }) => [part.replace('Way to ', ''), `${level}: ${text}`]),
    );
  }
  const apple = () => `${PROVIDERS}:${sandbox.ports.apns}`;
  const tokens = () => `${PROVIDERS}:${sandbox.ports.fcm}`;
  const google = () => `fcm.test:${sandbox.ports.fcm}`;

  it('finds the way to each server, and what it cannot trust', async () => {
    const found = await check();
    expect(Object.keys(found)).toEqual([apple(), tokens(), google()]);
    expect(found[apple()]).toBe(`ok: The proxy ${proxy.client().name} leads there.`);
    expect(found[tokens()]).toMatch(/^ok/);
    // The certificate of the sandbox has another name.
    expect(found[google()]).toMatch(/^problem: TLS fails in the tunnel: /);
  });

  it('says what the proxy answers in place of a tunnel', async () => {
    proxy.answer = { kind: 'refusal', status: 403, body: 'No' };
    const answered = `the proxy ${proxy.client().name} answered 403`;
    expect((await check())[apple()]).toBe(`problem: There is no tunnel: ${answered}.`);
  });

  it('misses HTTP/2 where it is needed, as behind an inspection of TLS', async () => {
    const [cert, key] = [await sandbox.read('server.pem'), await sandbox.read('server-key.pem')];
    const server = createServer({ cert, key });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo; // A server on TCP has an address of this shape.
    const given = { FCM_HOST: PROVIDERS, FCM_PORT: String(port) };
    const way = `${PROVIDERS}:${port}`;
    expect((await check(given))[way]).toBe('problem: There is no HTTP/2 in the tunnel.');
    expect((await check({ ...given, FCM_DRIVER: 'firebase-admin' }))[way]).toMatch(/^ok/);
    server.close();
  });

  it('tries the services of browsers and the receiver of the webhook, and no exempt server', async () => {
    const found = await check({
      WEB_PUSH_CONTACT: 'mailto:ops@example.org',
      PUSH_FEEDBACK_URL: `http://receiver.test:${sandbox.ports.page}`,
      PUSH_FEEDBACK_SECRET: 'a secret of the operator',
      NO_PROXY: '.test:1, providers.test, fcm.test',
    });
    expect(Object.keys(found)).toEqual([
      'updates.push.services.mozilla.com:443',
      'fcm.googleapis.com:443',
      'web.push.apple.com:443',
      `receiver.test:${sandbox.ports.page}`,
    ]);
    expect(found[`receiver.test:${sandbox.ports.page}`]).toMatch(/^ok/);
  });

  it('tries the servers of a gateway, and the collector of its spans', async () => {
    const { page } = sandbox.ports;
    const found = await checkProxyOfGateway(
      readApiGatewayConfig({
        DATABASE_URL: 'postgresql://nobody@127.0.0.1/none',
        REDIS_URL: 'redis://127.0.0.1:1',
        API_KEY_SECRET: Buffer.alloc(32, 1).toString('base64'),
        S3_BUCKET: 'files',
        S3_ACCESS_KEY_ID: 'id',
        S3_SECRET_ACCESS_KEY: 'hunter2',
        S3_ENDPOINT: `http://bucket.test:${page}`,
        WEBEX_CLIENT_ID: 'id',
        WEBEX_CLIENT_SECRET: 'hunter2',
        WEBEX_API_URL: 'https://video.test:1',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.test:4318',
        OUTBOUND_PROXY_URL: proxy.url,
        NO_PROXY: 'collector.test',
      }),
    );
    expect(found.map(({ part, level }) => [part, level])).toEqual([
      [`Way to bucket.test:${page}`, 'ok'],
      ['Way to video.test:1', 'problem'],
    ]);
  });

  it('finds nothing without a proxy', async () => {
    expect(await check({ OUTBOUND_PROXY_URL: '' })).toEqual({});
  });
});
