import { describe, expect, it } from '@jest/globals';
import { readApiGatewayConfig } from './api-gateway.config.js';
import { readPushWorkerConfig } from './push-worker.config.js';
import { ConfigError } from './read-variables.js';
import { readCliConfig } from './tools.config.js';

const common = {
  DATABASE_URL: 'postgresql://u@db/carillon',
  REDIS_URL: 'redis://house:6379/3',
  API_KEY_SECRET: Buffer.alloc(32, 1).toString('base64'),
};

describe.each([
  ['a gateway', readApiGatewayConfig],
  ['a worker', readPushWorkerConfig],
])('QUEUE_REDIS_URL of %s', (_program, read) => {
  const serversOf = (QUEUE_REDIS_URL?: string) => read({ ...common, QUEUE_REDIS_URL }).queueRedis;

  it('is REDIS_URL by default', () => {
    expect(serversOf()).toEqual({ variable: 'REDIS_URL', urls: ['redis://house:6379/3'] });
  });

  it.each([
    ['a single server with a database number', ['rediss://:secret@queues:6380/2']],
    ['three Sentinels', ['redis+sentinel://:secret@a:26379,b:26379,c:26379/queues/0']],
    ['the nodes of a cluster', ['redis://u:p@a:7000', 'redis://u:p@b:7000']],
  ])('accepts %s', (_form, urls) => {
    expect(serversOf(urls.join())).toEqual({ variable: 'QUEUE_REDIS_URL', urls });
  });

  it.each([
    ['another protocol', 'http://a:7000', 'begins with redis:// or rediss://'],
    ['Sentinels without a group', 'redis+sentinel://a:7000', 'begins with redis:// or rediss://'],
    ['a name for a number', 'redis://a:7000/queues', 'expected a number after the host'],
    ['a node twice', 'redis://a:7000,redis://a:7000', 'each node of the cluster once'],
    ['two passwords', 'redis://:x@a:7000,redis://:y@b:7000', 'the same protocol, user and'],
    ['a database number of a node', 'redis://a:7000/1,redis://b:7000/1', 'a database number'],
  ])('rejects %s, names the variable and shows no address', (_, given, expected) => {
    const refused = () => serversOf(given);
    expect(refused).toThrow(ConfigError);
    expect(refused).toThrow(/QUEUE_REDIS_URL: expected/);
    expect(refused).toThrow(expected);
    expect(refused).not.toThrow(/a:7000/);
  });
});

describe('QUEUE_REDIS_URL of the command line', () => {
  it('may be missing', () => {
    expect(readCliConfig({}).queueRedisUrls).toBeNull();
  });
});
