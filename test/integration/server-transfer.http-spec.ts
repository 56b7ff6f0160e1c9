import { randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { closeRedis, openRedis, untilReady } from '#platform/redis';
import { RelayRegistration, TransferSecrets } from '#push/relay';
import { makeServerIdentity } from '../../apps/push-sandbox/src/credentials/certificate-authority.js';
import { badRequest, success } from '#test/answers';
import { encodeForm } from '#test/api-client';
import { RemoteHost } from '#test/remote-host';
import { RemoteServer } from '#test/remote-server';
import { useGateway } from '#test/start-gateway';
import { useFixture, useFolder } from '#test/use-fixture';

const folder = useFolder();
const authority = () => path.join(folder.path, 'authority.pem');
const host = useFixture(async () => {
  const trusted = await makeServerIdentity(new Date());
  await writeFile(authority(), trusted.authority);
  return RemoteHost.start({ key: trusted.key, cert: trusted.certificate });
});
const foreign = useFixture(async () => {
  const other = await makeServerIdentity(new Date());
  return RemoteHost.start({ key: other.key, cert: other.certificate });
});
const system = useGateway(() => ({
  PUSH_SERVICE_PRIVATE_HOSTS: 'true',
  TRUSTED_PROXIES: '127.0.0.1',
  NODE_EXTRA_CA_CERTS: authority(),
}));
const server = useFixture(async () => new RemoteServer(system.gatewayUrl));

beforeAll(async () => {
  await server.signUp({ hostname: host.name });
  await new RemoteServer(system.gatewayUrl).signUp({ hostname: foreign.name });
});
beforeEach(() => {
  host.answer = undefined;
});

const begin = async (hostname = host.name) => {
  const reply = await system.anonymous().post('/remotes/server/register/transfer', { hostname });
  expect(reply).toMatchObject(success);
  return String(reply.body['verification_secret']);
};
const address = () =>
  `2001:db8:${randomInt(65_536).toString(16)}:${randomInt(65_536).toString(16)}::1`;
const end = (hostname = host.name, from = address()) =>
  system.anonymous().send('POST', '/remotes/server/register/verify_challenge', {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': from,
    },
    body: encodeForm({ hostname, access_token: 'a/b token' }),
  });
const show = (verification_secret: unknown) => {
  host.answer = { status: 200, body: { verification_secret } };
};

describe('The transfer of a registration', () => {
  it('gives the server of a proven host another key', async () => {
    show(await begin());
    const reply = await end();
    expect(reply).toMatchObject({ ...success, body: { zulip_org_id: server.id } });
    expect(host.paths.at(-1)).toBe('/api/v1/zulip-services/verify/a%2Fb%20token/');
    expect((await server.get('/server/analytics/status')).status).toBe(401);
    server.key = String(reply.body['zulip_org_key']);
    expect(server.key).toHaveLength(64);
    expect(await server.get('/server/analytics/status')).toMatchObject(success);
  });

  it.each([
    ['not hexadecimal', 'The verification secret is malformed'],
    [5, 'The verification secret is malformed'],
  ])('refuses the secret %j', async (secret, msg) => {
    show(secret);
    expect(await end()).toMatchObject(badRequest(msg));
  });

  it('refuses the secret of another host, and a changed one', async () => {
    show(await begin(foreign.name));
    expect(await end()).toMatchObject(
      badRequest('The verification secret is for a different hostname'),
    );
    const secret = await begin();
    show(`${secret.startsWith('0') ? '1' : '0'}${secret.slice(1)}`);
    expect(await end()).toMatchObject(badRequest('The verification secret is invalid'));
  });

  it.each([
    [
      { status: 400, body: { code: 'REMOTE_SERVER_VERIFICATION_SECRET_NOT_PREPARED' } },
      'The host reported it has no verification secret.',
    ],
    [{ status: 404, body: {} }, 'Error response received from the host: 404'],
    [{ status: 302, body: {} }, 'Error response received from the host: 302'],
    [{ status: 200, body: 'text' }, 'An error occurred while communicating with the host.'],
  ])('reports the answer %j', async (answer, msg) => {
    host.answer = answer;
    expect(await end()).toMatchObject(badRequest(msg));
    expect(host.paths).not.toContain('/elsewhere');
  });

  it('reports a certificate that nobody trusts', async () => {
    await begin(foreign.name);
    expect(await end(foreign.name)).toMatchObject(
      badRequest('SSL error occurred while communicating with the host.'),
    );
  });

  it('gives a server that relays another key', async () => {
    const redis = openRedis(system.describe().parts.stores.redisUrl, 'tests');
    await untilReady(redis, 15_000);
    const secrets = new TransferSecrets(redis);
    const read = (token: string) => system.anonymous().get(`/zulip-services/verify/${token}/`);
    const notPrepared = {
      status: 400,
      body: {
        code: 'REMOTE_SERVER_VERIFICATION_SECRET_NOT_PREPARED',
        msg: 'Verification secret not prepared',
      },
    };
    try {
      const registration = new RelayRegistration(system.gatewayUrl);
      const { orgId, orgKey } = await registration.transfer(host.name, {
        async put(token, secret) {
          expect(await read(token)).toMatchObject(notPrepared);
          await secrets.put(token, secret);
          expect(await redis.ttl(`push-service:transfer:${token}`)).toBeLessThanOrEqual(10);
          expect(await read(`${token}x`)).toMatchObject(notPrepared);
          // The host is a gateway of the server that relays.
          const { status, body } = await read(token);
          host.answer = { status, body };
        },
      });
      expect(orgId).toBe(server.id);
      server.key = orgKey;
      expect(await server.get('/server/analytics/status')).toMatchObject(success);
      const other = new RelayRegistration(system.gatewayUrl).transfer('nobody.test', secrets);
      await expect(other).rejects.toThrow('nobody.test not yet registered');
    } finally {
      await closeRedis(redis);
    }
  });

  it('is not limited for unknown hosts, which the service does not ask', async () => {
    const asked = host.paths.length;
    const from = address();
    for (let attempt = 0; attempt < 31; attempt += 1) {
      expect(await end('none.example', from)).toMatchObject(
        badRequest('Registration not found for this hostname'),
      );
    }
    expect(host.paths).toHaveLength(asked);
    show('nonsense');
    expect((await end(host.name, from)).status).toBe(400);
  });

  it('is limited for an address before all servers together', async () => {
    show('nonsense');
    const from = address();
    const statuses = [];
    for (let attempt = 0; attempt < 40; attempt += 1) {
      statuses.push((await end(host.name, from)).status);
    }
    expect(statuses.filter((status) => status === 400)).toHaveLength(5);
    expect(await end(host.name, from)).toMatchObject({
      status: 429,
      headers: { 'retry-after': expect.stringMatching(/^\d/) },
      body: { code: 'RATE_LIMIT_HIT', msg: expect.not.stringContaining('global') },
    });
    expect((await end()).status).toBe(400);
  });

  it('is limited for all servers together', async () => {
    show('nonsense');
    let reply = await end();
    while (reply.status !== 429) reply = await end();
    expect(reply).toMatchObject({
      headers: { 'retry-after': expect.stringMatching(/^\d/) },
      body: {
        code: 'RATE_LIMIT_HIT',
        msg: 'The global limits on recent usage of this endpoint have been reached. Please try again later or reach out to support@127.0.0.1 for assistance.',
      },
    });
  });
});
