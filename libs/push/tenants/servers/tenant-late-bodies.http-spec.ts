import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { eventually } from '#test/eventually';
import { RawConnection } from '#test/raw-connection';
import { RemoteServer } from '#test/remote-server';
import { useGateway } from '#test/start-gateway';
import { withRedis } from '#test/throwaway-redis';

const SIGN_IN_MS = 200;

const system = useGateway({ RATE_LIMIT_SERVER_UPLOADS: '86400:2' });
const connections: RawConnection[] = [];

beforeAll(() =>
  system.beforeStop(async () => {
    for (const connection of connections) connection.end();
  }),
);

const register = () => RemoteServer.register(system.gatewayUrl);

/** Sends the head of a request with JSON, and nothing of its body. */
async function begin(
  { id, key }: RemoteServer,
  path: string,
  length: number,
): Promise<RawConnection> {
  const connection = await RawConnection.open(Number(new URL(system.gatewayUrl).port));
  connections.push(connection);
  return connection.request(`POST /api/v1/remotes${path}`, {
    Authorization: `Basic ${Buffer.from(`${id}:${key}`).toString('base64')}`,
    'Content-Type': 'application/json',
    'Content-Length': length,
  });
}

/** Waits until a server has used up its two uploads. */
const untilCharged = () =>
  eventually(() =>
    withRedis(system.describe().parts.stores.redisUrl, async (redis) => {
      const keys = await redis.keys('rate:server-upload:*');
      expect(await Promise.all(keys.map((key) => redis.get(key)))).toContain('2');
    }),
  );

describe('A server whose bodies come late', () => {
  it('is refused when its key is replaced before a body has arrived', async () => {
    const server = await register();
    const body = JSON.stringify({ user_id: 1 });
    const late = await begin(server, '/push/notify', body.length);
    await wait(SIGN_IN_MS);
    const newKey = randomBytes(32).toString('hex');
    expect(await server.signUp({ new_org_key: newKey })).toMatchObject(success);
    expect(await late.write(body).status()).toBe(401);
  });

  it('is charged for a request once', async () => {
    // Its registration is its first upload.
    const server = await register();
    const body = '{}';
    const late = await begin(server, '/server/analytics', body.length);
    // It is charged before its body has arrived.
    await untilCharged();
    expect(await server.upload()).toMatchObject({ status: 429 });
    expect(await late.write(body).status()).toBe(400);
    // And the charge of a refused upload is taken back.
    expect(await server.upload()).toMatchObject(success);
    expect(await server.upload()).toMatchObject({ status: 429 });
  });

  it('is refused before accounts and other servers are', async () => {
    const [server, other] = [await register(), await register()];
    const begun = await Promise.all(
      Array.from({ length: 64 }, () => begin(server, '/push/notify', 4 * 1_048_576)),
    );
    await eventually(async () => {
      const refused = begun.filter(({ received }) => received.startsWith('HTTP/1.1 429'));
      expect(refused).toHaveLength(48);
    });
    expect(await other.postJson('/push/notify', { user_id: 1 })).toMatchObject(success);
    expect(
      await system.anonymous().post('/fetch_api_key', { username: 'a', password: 'b' }),
    ).toMatchObject({ status: 401 });
  });
});
