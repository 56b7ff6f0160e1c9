import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readCliConfig } from '#platform/config';
import { connectionsOf } from './connections.js';

let dataDir: string;

beforeAll(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'carillon-cli-'));
  const services = { database_url: 'postgresql://local/chat', redis_url: 'redis://local' };
  const demo = { base_url: 'http://127.0.0.1:9991', services, users: {} };
  writeFileSync(path.join(dataDir, 'demo.json'), JSON.stringify(demo));
});
afterAll(() => rmSync(dataDir, { recursive: true }));

const connections = (environment: Record<string, string>) =>
  connectionsOf(readCliConfig({ DATA_DIR: dataDir, ...environment }));

describe(connectionsOf.name, () => {
  it('uses the environment', () => {
    const DATABASE_URL = 'postgresql://db.example.org/chat';
    const REDIS_URL = 'redis://redis.example.org';
    expect({ ...connections({ DATABASE_URL, REDIS_URL }) }).toEqual({
      databaseUrl: DATABASE_URL,
      redisUrl: REDIS_URL,
      queueRedisUrls: null,
      externalUrl: null,
    });
  });

  it('has the nodes of the queues from the environment', () => {
    const REDIS_URL = 'redis://redis.example.org';
    const urls = ['redis://one.example.org', 'redis://two.example.org'];
    const { queueRedisUrls } = connections({ REDIS_URL, QUEUE_REDIS_URL: urls.join() });
    expect(queueRedisUrls).toEqual(urls);
    const refused = () => connections({ REDIS_URL, QUEUE_REDIS_URL: 'http://one.example.org' });
    expect(refused).toThrow('QUEUE_REDIS_URL: expected');
  });

  it('uses the installation in this folder without an environment', () => {
    expect(connections({})).toEqual({
      databaseUrl: 'postgresql://local/chat',
      redisUrl: 'redis://local',
      queueRedisUrls: null,
      externalUrl: 'http://127.0.0.1:9991',
    });
  });

  it('uses the queues that `npm start` takes from the environment', () => {
    const { redisUrl, queueRedisUrls } = connections({ QUEUE_REDIS_URL: 'redis://queues' });
    expect([redisUrl, queueRedisUrls]).toEqual(['redis://local', ['redis://queues']]);
  });

  it('never mixes both sources', () => {
    const { databaseUrl } = connections({ DATABASE_URL: 'postgresql://db.example.org/chat' });
    expect(databaseUrl).toBe('postgresql://db.example.org/chat');
    expect(
      () => connections({ DATABASE_URL: 'postgresql://db.example.org/chat' }).redisUrl,
    ).toThrow('REDIS_URL is not set, though DATABASE_URL is.');
    expect(() => connections({ REDIS_URL: 'redis://redis.example.org' }).databaseUrl).toThrow(
      'DATABASE_URL is not set',
    );
  });

  it('explains what to do if neither is configured', () => {
    expect(() => connections({ DATA_DIR: path.join(dataDir, 'empty') })).toThrow(/npm start/);
  });
});
