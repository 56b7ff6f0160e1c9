import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { decodeJwt } from 'jose';
import { closeRedis, openRedis, type Redis } from '#platform/redis';
import { type ProviderTokenSource } from './apns/apns-credential.js';
import { ProviderTokens } from './credentials/provider-token.store.js';
import { eventually } from '#test/eventually';
import { ThrowawayRedis } from '#test/throwaway-redis';

const MINUTE_MS = 60_000;
const WORKERS = 8;

const newKey = () => ({
  key: generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString(),
  keyId: randomBytes(5).toString('hex').toUpperCase(),
  teamId: randomBytes(5).toString('hex').toUpperCase(),
});

describe(ProviderTokens.name, () => {
  let server: ThrowawayRedis;
  let connections: Redis[];
  let now: number;
  let key: ReturnType<typeof newKey>;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    server = await ThrowawayRedis.start();
  });
  afterAll(() => server.remove());
  beforeEach(() => {
    connections = [];
    now = Date.now();
    key = newKey();
  });
  afterEach(async () => {
    await Promise.all(connections.map(closeRedis));
    await server.run((redis) => redis.flushall());
  });

  /** As a process has it: with a connection and a memory of its own. */
  const newWorker = (url = server.url): ProviderTokenSource => {
    const redis = openRedis(url, 'test');
    connections.push(redis);
    return new ProviderTokens(redis, () => now).of(key);
  };
  const newWorkers = () => Array.from({ length: WORKERS }, () => newWorker());
  const tokensOf = async (workers: readonly ProviderTokenSource[]) =>
    new Set(await Promise.all(workers.map((worker) => worker.current())));
  /** Both for us and for Redis, which keeps its own time. */
  const pass = async (ms: number) => {
    now += ms;
    await server.run(async (redis) => {
      for (const name of await redis.keys('*')) {
        const left = (await redis.pttl(name)) - ms;
        if (left > 0) await redis.pexpire(name, left);
        else await redis.del(name);
      }
    });
  };

  it('issues one token for eight workers that start at once', async () => {
    const tokens = await tokensOf(newWorkers());
    expect(tokens.size).toBe(1);
    const [token = ''] = tokens;
    expect(decodeJwt(token)).toMatchObject({ iss: key.teamId, iat: Math.floor(now / 1000) });
  });

  it('issues at most one token in 20 minutes for hours, with any restarts', async () => {
    const workers = newWorkers();
    const seen = new Set<string>();
    for (let minute = 0; minute < 180; minute += 5) {
      workers[(minute / 5) % WORKERS] = newWorker();
      for (const token of await tokensOf(workers)) {
        seen.add(token);
        expect(now / 1000 - (decodeJwt(token).iat ?? 0)).toBeLessThan(59 * 60);
      }
      await pass(5 * MINUTE_MS);
    }
    const times = [...seen].map((token) => decodeJwt(token).iat ?? 0).toSorted((a, b) => a - b);
    for (const [index, time] of times.slice(1).entries()) {
      expect(time - (times[index] ?? 0)).toBeGreaterThanOrEqual(20 * 60);
    }
    expect(times).toHaveLength(4);
  });

  it('stores only encrypted tokens in Redis', async () => {
    const token = await newWorker().current();
    const texts = await server.run(async (redis) => {
      const names = await redis.keys('*');
      const values = await Promise.all(names.map((name) => redis.get(name)));
      return [...names, ...values].map((text) => `${text} ${Buffer.from(text ?? '', 'base64')}`);
    });
    expect(texts).toHaveLength(4);
    for (const part of token.split('.')) expect(texts.join('\n')).not.toContain(part);
  });

  it('keeps its token when Redis loses it, and shares it with starting workers', async () => {
    const workers = newWorkers();
    const [token] = await tokensOf(workers);
    await server.run((redis) => redis.flushall());
    now += 6000;
    expect(await tokensOf(workers)).toEqual(new Set([token]));
    await eventually(async () => {
      expect(await server.run((redis) => redis.keys('*'))).toHaveLength(2);
    });
    expect(await newWorker().current()).toBe(token);
  });

  it('replaces a token that Apple rejects, once for all workers and not within 20 minutes', async () => {
    const workers = newWorkers();
    const [first = ''] = await tokensOf(workers);
    for (const worker of workers) worker.reportRefused(first);
    expect(await tokensOf(workers)).toEqual(new Set([first]));

    await pass(20 * MINUTE_MS);
    for (const worker of workers) worker.reportRefused(first);
    const replaced = await tokensOf(workers);
    expect(replaced.size).toBe(1);
    expect(replaced).not.toContain(first);

    // A late rejection of the old token, for a push that was in flight.
    for (const worker of workers) worker.reportRefused(first);
    expect(await tokensOf(workers)).toEqual(replaced);
  });

  it('issues its own token while Redis is down, at most one in 20 minutes', async () => {
    const worker = newWorker('redis://127.0.0.1:1');
    const first = await worker.current();
    worker.reportRefused(first);
    now += 19 * MINUTE_MS;
    expect(await worker.current()).toBe(first);

    now += 40 * MINUTE_MS;
    const second = await worker.current();
    expect(decodeJwt(second).iat).toBe(Math.floor(now / 1000));
  });

  it('does not use a token of another key with the same ids', async () => {
    const wrong = await newWorker().current();
    key = { ...newKey(), keyId: key.keyId, teamId: key.teamId };
    const [right, again] = [await newWorker().current(), await newWorker().current()];
    expect(right).not.toBe(wrong);
    expect(again).toBe(right);
  });
});
