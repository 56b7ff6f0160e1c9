import { describe, expect, it, jest } from '@jest/globals';
import { Database } from '#platform/database';
import { closeRedis, openRedis, untilReady } from '#platform/redis';
import { ConfirmedWork } from '#test/confirmed-work';
import { TlsStores } from '#test/tls-stores';
import { useFixture } from '#test/use-fixture';
import { useSystem } from '#test/use-system';

jest.setTimeout(180_000);

const stores = useFixture(() => TlsStores.start());
const system = useSystem(() => ({
  database: stores.open(),
  environment: { REDIS_URL: stores.redisUrl() },
}));

describe('PostgreSQL and Redis with TLS', () => {
  it('serve all programs, on encrypted connections only', async () => {
    const work = await ConfirmedWork.prepare(system, 1);
    work.begin();
    await work.untilMore(5);
    await work.end();
    expect(await work.result()).toMatchObject({ lost: [], twice: [], shownTwice: 0 });
    expect(work.failures).toEqual([]);
    // PostgreSQL lists a connection before the TLS handshake: until then it is `starting`.
    const plain = await system.database.database.query(
      'plain_connections',
      `SELECT pid FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
       WHERE client_addr IS NOT NULL AND state <> 'starting' AND NOT ssl`,
    );
    expect(plain).toEqual([]);
  });

  it('refuse another authority of PostgreSQL', async () => {
    const url = stores.databaseUrl('localhost', stores.otherAuthorityFile);
    const database = new Database({ url, poolSize: 1 });
    await expect(database.ping()).rejects.toThrow(/certificate|signature/);
    await database.onApplicationShutdown();
  });

  it('refuse another authority of Redis', async () => {
    const redis = openRedis(stores.redisUrl(stores.otherAuthorityFile), 'test');
    const refusal = new Promise((resolve) => redis.once('error', resolve));
    await expect(untilReady(redis, 2000)).rejects.toThrow('Redis does not answer');
    expect(String(await refusal)).toMatch(/certificate|signature/);
    await closeRedis(redis);
  });
});
