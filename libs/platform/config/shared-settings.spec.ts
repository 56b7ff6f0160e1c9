import { describe, expect, it } from '@jest/globals';
import { readApiGatewayConfig } from './api-gateway.config.js';
import { readPresenceConfig } from './presence.config.js';
import { readPushWorkerConfig } from './push-worker.config.js';

const secret = (text: string) => Buffer.alloc(32, text).toString('base64');

const environment = {
  DATABASE_URL: 'postgresql://carillon@db/carillon',
  REDIS_URL: 'redis://redis',
  EXTERNAL_URL: 'https://chat.example.org/',
  API_KEY_SECRET: secret('api'),
  PRESENCE_SECRET: secret('presence'),
  PUSH_KEY_SECRET: secret('push'),
};

const readers = {
  gateway: readApiGatewayConfig,
  presence: readPresenceConfig,
  worker: readPushWorkerConfig,
};
const sharedOf = (program: keyof typeof readers, variables: Record<string, string> = {}) =>
  readers[program]({ ...environment, ...variables }).shared;

/** The settings of the first that the second has with another fingerprint. */
const differences = (one: Record<string, string>, other: Record<string, string>) =>
  Object.keys(one).filter((name) => name in other && one[name] !== other[name]);

describe('shared settings', () => {
  it('have equal fingerprints in programs with equal variables', () => {
    const [gateway, presence, worker] = [
      sharedOf('gateway'),
      sharedOf('presence'),
      sharedOf('worker'),
    ];
    expect(differences(gateway, presence)).toEqual([]);
    expect(differences(gateway, worker)).toEqual([]);
    expect(Object.keys(presence).filter((name) => name in gateway)).toEqual([
      'PRESENCE_PING_SECONDS',
      'PRESENCE_OFFLINE_SECONDS',
      'PRESENCE_SECRET',
    ]);
    expect(
      Object.keys(worker)
        .filter((name) => name in gateway)
        .toSorted(),
    ).toEqual([
      'EXTERNAL_URL',
      'PUSH_KEY_SECRET',
      'PUSH_SERVICE_ORG_ID',
      'PUSH_SERVICE_ORG_KEY',
      'PUSH_SERVICE_URL',
      'PUSH_TIME_TO_LIVE_SECONDS',
      'QUEUE_REDIS_URL',
      'WEB_PUSH_HOSTS',
      'WEB_PUSH_PORTS',
      'WEB_PUSH_PRIVATE_HOSTS',
    ]);
  });

  it.each([
    ['gateway', 'API_KEY_SECRET', secret('other')],
    ['gateway', 'EXTERNAL_URL', 'https://other.example.org'],
    ['presence', 'PRESENCE_OFFLINE_SECONDS', '300'],
    ['worker', 'PUSH_KEY_SECRET', secret('other')],
    ['worker', 'PUSH_HISTORY_DAYS', '30'],
    ['worker', 'QUEUE_REDIS_URL', 'redis://queues'],
  ] as const)('of %s change with %s alone', (program, name, value) => {
    expect(differences(sharedOf(program), sharedOf(program, { [name]: value }))).toEqual([name]);
  });

  it('do not change with another node or password of the same queues', () => {
    const [one, two, three] = [1, 2, 3].map((node) => `redis://:secret@node-${node}`);
    const some = sharedOf('worker', { QUEUE_REDIS_URL: `${one},${two}` });
    const others = sharedOf('worker', { QUEUE_REDIS_URL: `${two},${three}` });
    expect(others).toEqual(some);
  });

  it('are short, and without the values', () => {
    for (const fingerprint of Object.values(sharedOf('gateway'))) {
      expect(fingerprint).toMatch(/^[\da-f]{16}$/);
    }
  });
});
