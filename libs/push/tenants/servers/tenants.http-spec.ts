import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { badRequest, success } from '#test/answers';
import { ApiClient } from '#test/api-client';
import { RemoteServer } from '#test/remote-server';
import { useGateway } from '#test/start-gateway';

const system = useGateway();

const newServer = () => new RemoteServer(system.gatewayUrl);
const register = () => RemoteServer.register(system.gatewayUrl);
const statusWith = (authorization: string) =>
  system
    .anonymous()
    .send('GET', '/remotes/server/analytics/status', { headers: { authorization } });
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('POST /remotes/server/register', () => {
  it('registers a server once, and changes its host and address afterwards', async () => {
    const server = newServer();
    expect(await server.signUp()).toMatchObject({ ...success, body: { created: true } });
    const changed = { hostname: `NEW-${server.hostname}:8443`, contact_email: 'a@new.test' };
    expect(await server.signUp(changed)).toMatchObject({ ...success, body: { created: false } });
    const { prisma } = system.database.database;
    expect(await prisma.remoteServer.findUnique({ where: { uuid: server.id } })).toMatchObject({
      hostname: `new-${server.hostname}:8443`,
      contactEmail: 'a@new.test',
    });
  });

  it('replaces the key at once', async () => {
    const server = await register();
    const newKey = randomBytes(32).toString('hex');
    expect(await server.signUp({ new_org_key: newKey })).toMatchObject(success);
    expect(await server.get('/server/analytics/status')).toMatchObject({
      status: 401,
      body: { msg: `Zulip server auth failure: key does not match role ${server.id}` },
    });
    server.key = newKey;
    expect(await server.get('/server/analytics/status')).toMatchObject(success);
  });

  it.each([
    [{ zulip_org_id: 'short' }, 'zulip_org_id is not length 36'],
    [{ zulip_org_key: 'short' }, 'zulip_org_key is not length 64'],
    [{ zulip_org_key: `${'x'.repeat(63)}:` }, 'zulip_org_key has invalid format'],
    [{ new_org_key: 'short' }, 'new_org_key is not length 64'],
    [
      { hostname: 'a.test/path' },
      'a.test/path contains invalid components (e.g., path, query, fragment).',
    ],
    [
      { hostname: 'a.test?x' },
      'a.test?x contains invalid components (e.g., path, query, fragment).',
    ],
    [{ hostname: 'word' }, 'word is not a valid hostname'],
    [{ hostname: 'a..test' }, 'a..test is not a valid hostname'],
    [{ hostname: 'me@a.test' }, 'me@a.test is not a valid hostname'],
    [{ hostname: 'x'.repeat(129) }, 'hostname is too long (limit: 128 characters)'],
    [{ zulip_org_id: 'x'.repeat(36) }, 'Invalid UUID'],
    [{ zulip_org_id: '6f9619ff-8b86-1011-b42d-00cf4fc964ff' }, 'Invalid UUID'],
    [{ zulip_org_id: '6F9619FF-8B86-4011-B42D-00CF4FC964FF' }, 'Invalid UUID'],
  ])('refuses %j', async (fields, msg) => {
    expect(await newServer().signUp(fields)).toMatchObject(badRequest(msg));
  });

  it.each([
    ['nonsense', 'Enter a valid email address.'],
    ['a b@c.test', 'Enter a valid email address.'],
    ['admin@example.com', 'example.com is not a valid email domain.'],
  ])('refuses the contact address %s', async (contact_email, reason) => {
    expect(await newServer().signUp({ contact_email })).toMatchObject({
      status: 400,
      body: {
        code: 'BAD_REQUEST',
        msg: `Invalid server administrator email address: ${reason}`,
        email_reason: reason,
      },
    });
  });

  it('refuses a known server with another key, and the host of another server', async () => {
    const server = await register();
    const other = newServer();
    expect(await server.signUp({ zulip_org_key: other.key })).toMatchObject({
      status: 400,
      body: {
        code: 'INVALID_ZULIP_SERVER',
        role: server.id,
        msg: `Zulip server auth failure: key does not match role ${server.id}`,
      },
    });
    const inUse = {
      status: 400,
      body: {
        code: 'HOSTNAME_ALREADY_IN_USE_BOUNCER_ERROR',
        hostname: server.hostname,
        msg: `A server with hostname ${server.hostname} already exists`,
      },
    };
    expect(await other.signUp({ hostname: server.hostname })).toMatchObject(inUse);
    const third = await register();
    expect(await third.signUp({ hostname: server.hostname })).toMatchObject(inUse);
  });

  it('gives a host to one of two servers that register at once', async () => {
    const [one, other] = [newServer(), newServer()];
    const replies = await Promise.all([one.signUp(), other.signUp({ hostname: one.hostname })]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });
});

describe('The sign-in of a server', () => {
  it.each([
    ['Bearer x', 400, 'BAD_REQUEST', 'This endpoint requires HTTP basic authentication.'],
    ['Basic ???', 401, 'UNAUTHORIZED', 'Invalid authorization header for basic auth'],
    [basic('a:b:c'), 401, 'UNAUTHORIZED', 'Invalid authorization header for basic auth'],
    [basic('abc'), 401, 'UNAUTHORIZED', 'Invalid authorization header for basic auth'],
    [basic('me@a.test:x'), 400, 'BAD_REQUEST', 'Must validate with valid Zulip server API key'],
    [
      basic('nonsense:x'),
      401,
      'UNAUTHORIZED',
      'Zulip server auth failure: nonsense is not registered -- did you run `manage.py register_server`?',
    ],
  ])('refuses %s', async (authorization, status, code, msg) => {
    expect(await statusWith(authorization)).toMatchObject({ status, body: { code, msg } });
  });

  it('refuses a request without a header, with a challenge', async () => {
    expect(await system.anonymous().get('/remotes/server/analytics/status')).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="zulip"' },
      body: { code: 'UNAUTHORIZED', msg: 'Missing authorization header for basic auth' },
    });
  });

  it('refuses another method before it looks at the sign-in', async () => {
    const reply = await system.anonymous().get('/remotes/push/register');
    expect(reply).toMatchObject({ status: 405, body: { allowed_methods: ['POST'] } });
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=b' };
    const posted = await system.anonymous().send('POST', '/remotes/server/analytics/status', form);
    expect(posted.status).toBe(405);
  });

  it('notes the time of the sign-in', async () => {
    const { id } = await register();
    const { prisma } = system.database.database;
    const row = await prisma.remoteServer.findUniqueOrThrow({ where: { uuid: id } });
    expect(Date.now() - (row.seenAt?.getTime() ?? 0)).toBeLessThan(60_000);
    expect(row.keyHash).toHaveLength(32);
  });
});

describe('POST /remotes/server/deactivate', () => {
  it('ends the registration for good, and frees the host', async () => {
    const server = await register();
    expect(await server.post('/server/deactivate')).toMatchObject(success);
    const msg =
      'The mobile push notification service registration for your server has been deactivated';
    expect(await server.get('/server/analytics/status')).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHORIZED', msg },
    });
    expect(await server.signUp()).toMatchObject({
      status: 401,
      body: { code: 'REALM_DEACTIVATED', msg },
    });
    expect(await newServer().signUp({ hostname: server.hostname })).toMatchObject(success);
  });
});

describe('The demo server', () => {
  it('is registered with its organisation', async () => {
    const { url, org_id, org_key, realm_uuid } = system.demo.push_service;
    const client = new ApiClient(url, { email: org_id, api_key: org_key });
    expect(await client.get('/remotes/server/analytics/status')).toMatchObject(success);
    const { prisma } = system.database.database;
    const realm = { where: { uuid: realm_uuid }, include: { server: true } };
    expect(await prisma.remoteRealm.findUnique(realm)).toMatchObject({ server: { uuid: org_id } });
  });
});

describe('The transfer of a registration', () => {
  it('needs a known host', async () => {
    const hostname = `${randomUUID()}.test`;
    const anonymous = system.anonymous();
    expect(await anonymous.post('/remotes/server/register/transfer', { hostname })).toMatchObject(
      badRequest(`${hostname} not yet registered`),
    );
    const end = { hostname, access_token: 'x' };
    expect(await anonymous.post('/remotes/server/register/verify_challenge', end)).toMatchObject(
      badRequest('Registration not found for this hostname'),
    );
  });

  it('does not call private addresses', async () => {
    const server = newServer();
    const hostname = '127.0.0.1:9';
    await server.signUp({ hostname, contact_email: 'a@b.test' });
    const anonymous = system.anonymous();
    const begun = await anonymous.post('/remotes/server/register/transfer', { hostname });
    expect(begun.body['verification_secret']).toMatch(/^[\dA-F]+$/);
    const end = { hostname, access_token: 'x' };
    expect(await anonymous.post('/remotes/server/register/verify_challenge', end)).toMatchObject(
      badRequest('Connection error occurred while communicating with the host.'),
    );
  });
});
