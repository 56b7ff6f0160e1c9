import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ConfigError } from '#platform/config';
import { ThrowawayRedis } from '#test/throwaway-redis';
import {
  closeRedis,
  openRedis,
  refuseMissingDatabase,
  refuseMissingDatabases,
  untilReady,
} from './redis.js';

let server: ThrowawayRedis;

beforeAll(async () => {
  Logger.overrideLogger(false);
  server = await ThrowawayRedis.start();
});
afterAll(async () => {
  Logger.overrideLogger(true);
  await server.remove();
});

describe(refuseMissingDatabase.name, () => {
  it('names the variable of a database that does not exist', async () => {
    const refused = refuseMissingDatabase([`${server.url}/99`], 'REDIS_URL');
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow('REDIS_URL: there is no database 99');
  });

  it.each(['', '/0', '/15'])('accepts a URL that ends with "%s"', async (end) => {
    await expect(refuseMissingDatabase([server.url + end], 'REDIS_URL')).resolves.toBeUndefined();
  });

  it('lets a program start while Redis is down', async () => {
    const allowed = refuseMissingDatabase(['redis://127.0.0.1:1/99'], 'REDIS_URL');
    await expect(allowed).resolves.toBeUndefined();
  });
});

describe(openRedis.name, () => {
  it('does not use another database', async () => {
    const redis = openRedis(`${server.url}/99`, 'test');
    let readiness = 0;
    redis.on('ready', () => (readiness += 1));
    for (let tries = 0; tries < 3; tries += 1) {
      await new Promise((resolve) => redis.once('reconnecting', resolve));
      await expect(redis.set('key', 'value')).rejects.toThrow(/Redis|Connection|Stream/);
    }
    await expect(untilReady(redis, 100)).rejects.toThrow('Redis does not answer');
    expect(readiness).toBe(0);
    await closeRedis(redis);
    expect(await server.run((other) => other.dbsize())).toBe(0);
  });
});

describe(refuseMissingDatabases.name, () => {
  it('names the variable with the missing database, also that of the queues', async () => {
    const [url, missing] = [server.url, `${server.url}/99`];
    const queueRedis = { urls: [missing], variable: 'QUEUE_REDIS_URL' };
    await expect(refuseMissingDatabases({ redis: { url }, queueRedis })).rejects.toThrow(
      'QUEUE_REDIS_URL: there is no database 99',
    );
    const shared = { urls: [missing], variable: 'REDIS_URL' };
    await expect(
      refuseMissingDatabases({ redis: { url: missing }, queueRedis: shared }),
    ).rejects.toThrow('REDIS_URL: there is no database 99');
  });
});
