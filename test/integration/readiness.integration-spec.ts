import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#test/eventually';
import { sendRequest } from '#test/http-request';
import { useGateway } from '#test/start-gateway';
import { ThrowawayRedis } from '#test/throwaway-redis';
import { useFixture } from '#test/use-fixture';

describe('The readiness of a gateway', () => {
  const redis = useFixture(() => ThrowawayRedis.start());
  const system = useGateway(() => ({ REDIS_URL: redis.url }));

  afterEach(() => redis.restart());

  const ready = () => sendRequest(`${system.gatewayUrl}/health/ready`);
  const sql = (text: string) => system.database.database.prisma.$executeRawUnsafe(text);
  const untilReadyWithRedis = () =>
    eventually(async () => {
      const { status, body } = await ready();
      expect(status).toBe(200);
      expect(body['warnings'] ?? {}).not.toHaveProperty('redis');
    });

  it('continues with a warning during an outage of Redis', async () => {
    await untilReadyWithRedis();
    await redis.kill();
    await eventually(async () => {
      expect(await ready()).toMatchObject({
        status: 200,
        body: { status: 'ok', warnings: { redis: expect.anything() } },
      });
    });
    expect(await system.api('alice').get('/users/me')).toMatchObject({ status: 200 });
  });

  it('warns while Redis answers and refuses to write', async () => {
    await untilReadyWithRedis();
    await redis.run(async (client) => {
      await client.config('SET', 'maxmemory', '1');
      expect(await client.ping()).toBe('PONG');
    });
    await eventually(async () => {
      expect(await ready()).toMatchObject({
        status: 200,
        body: { warnings: { redis: expect.anything() } },
      });
    });
  });

  it('requires the schema of its release or of a newer one', async () => {
    const known = '20261122080000_rules_of_leased_deliveries';
    await sql(`UPDATE _prisma_migrations SET rolled_back_at = now()
               WHERE migration_name = '${known}'`);
    await sql(`INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
               VALUES ('a', 'b', '29991231235959_of_a_newer_release', now())`);
    // A gateway checks the schema until it is valid, and never again.
    await system.kill('api-gateway');
    const starting = system.start('api-gateway');
    await eventually(async () =>
      expect(await ready()).toMatchObject({
        status: 503,
        body: { status: 'failing', failing: { schema: expect.anything() } },
      }),
    );
    expect(await system.api('alice').get('/users/me')).toMatchObject({
      status: 503,
      body: { code: 'SERVICE_UNAVAILABLE' },
      headers: { 'retry-after': '1', 'access-control-allow-origin': '*' },
    });
    expect(await system.api('alice').send('OPTIONS', '/users/me')).toMatchObject({ status: 204 });
    await sql(`UPDATE _prisma_migrations SET rolled_back_at = NULL
               WHERE migration_name = '${known}'`);
    // The start completes when the gateway is ready.
    await expect(starting).resolves.toBeUndefined();
    expect(await ready()).toMatchObject({ status: 200 });
    expect(await system.api('alice').get('/users/me')).toMatchObject({ status: 200 });
  });
});
