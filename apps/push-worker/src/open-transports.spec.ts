import { describe, expect, it } from '@jest/globals';
import { readPushWorkerConfig } from '#platform/config';
import { WebPushTransport } from '#push/providers';
import { RelayTransport } from '#push/relay';
import { openTransports } from './open-transports.js';

const stores = {
  DATABASE_URL: 'postgresql://127.0.0.1/none',
  REDIS_URL: 'redis://127.0.0.1',
  EXTERNAL_URL: 'https://chat.example.org',
};
const service = {
  PUSH_SERVICE_URL: 'https://push.example.org',
  PUSH_SERVICE_ORG_ID: '9a1f4c6e-8a0e-4f5b-8f5e-0a6c3a1d2b3c',
  PUSH_SERVICE_ORG_KEY: 'k'.repeat(64),
};

describe(openTransports.name, () => {
  it('relays to Apple and Google, and sends Web Push itself', async () => {
    const opened = await openTransports(readPushWorkerConfig({ ...stores, ...service }), undefined);
    const { apns, fcm, web } = opened.transports;
    expect(apns).toBeInstanceOf(RelayTransport);
    expect(fcm).toBe(apns);
    expect(web).toBeInstanceOf(WebPushTransport);
    expect(opened.webPushKeys).toBeDefined();
    await Promise.all([apns?.close(), web?.close()]);
  });

  it('opens Web Push only for a worker that consumes its queues', async () => {
    const queues = { PUSH_QUEUES: 'apns,apns-bulk' };
    const opened = await openTransports(
      readPushWorkerConfig({ ...stores, ...service, ...queues }),
      undefined,
    );
    expect(opened.transports.web).toBeUndefined();
    expect(opened.webPushKeys).toBeUndefined();
    await opened.transports.apns?.close();
  });
});
