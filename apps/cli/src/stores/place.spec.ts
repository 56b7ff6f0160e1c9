import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readCliConfig } from '#config';
import { placeOf } from './place.js';

let dataDir: string;

beforeAll(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'carillon-cli-'));
  const services = { database_url: 'postgresql://local/chat', redis_url: 'redis://local' };
  const demo = { base_url: 'http://127.0.0.1:9991', services, users: {} };
  writeFileSync(path.join(dataDir, 'demo.json'), JSON.stringify(demo));
});
afterAll(() => rmSync(dataDir, { recursive: true }));

const place = (environment: Record<string, string>) =>
  placeOf(readCliConfig({ DATA_DIR: dataDir, ...environment }));

describe(placeOf.name, () => {
  it('is what the environment says', () => {
    const DATABASE_URL = 'postgresql://db.example.org/chat';
    const REDIS_URL = 'redis://redis.example.org';
    expect({ ...place({ DATABASE_URL, REDIS_URL }) }).toEqual({
      databaseUrl: DATABASE_URL,
      redisUrl: REDIS_URL,
      externalUrl: null,
    });
  });

  it('is what runs in this folder when the environment says nothing', () => {
    expect(place({})).toEqual({
      databaseUrl: 'postgresql://local/chat',
      redisUrl: 'redis://local',
      externalUrl: 'http://127.0.0.1:9991',
    });
  });

  it('is never half of each', () => {
    const { databaseUrl } = place({ DATABASE_URL: 'postgresql://db.example.org/chat' });
    expect(databaseUrl).toBe('postgresql://db.example.org/chat');
    expect(() => place({ DATABASE_URL: 'postgresql://db.example.org/chat' }).redisUrl).toThrow(
      'REDIS_URL is not set, though DATABASE_URL is.',
    );
    expect(() => place({ REDIS_URL: 'redis://redis.example.org' }).databaseUrl).toThrow(
      'DATABASE_URL is not set',
    );
  });

  it('says what to do when there is none', () => {
    expect(() => place({ DATA_DIR: path.join(dataDir, 'empty') })).toThrow(/npm start/);
  });
});
