import { describe, expect, it } from '@jest/globals';
import { crossOrigin } from '#test/answers';
import { basicAuthorization } from '#test/api-client';
import { RawConnection } from '#test/raw-connection';
import { addOrganisation } from '#test/organisation';
import { startGateway, useGateway } from '#test/start-gateway';

const system = useGateway();

/** Asks without a sign-in. */
const ask = (headers: Readonly<Record<string, string>> = {}, gatewayUrl = system.gatewayUrl) =>
  system.anonymous(gatewayUrl).send('GET', '/server_settings', { headers });

const unknownHost = {
  status: 404,
  body: { result: 'error', code: 'NONEXISTENT_SUBDOMAIN', msg: 'Invalid subdomain' },
};

const methods = {
  password: true,
  dev: false,
  email: true,
  ldap: false,
  remoteuser: false,
  github: false,
  azuread: false,
  gitlab: false,
  google: false,
  apple: false,
  saml: false,
  'openid connect': false,
};

describe('GET /server_settings', () => {
  it('returns the settings and the root organisation', async () => {
    const { status, body, headers } = await ask();
    expect(status).toBe(200);
    expect(body).toEqual({
      result: 'success',
      msg: '',
      zulip_version: expect.stringMatching(/^\d+\.\d+$/),
      zulip_merge_base: body['zulip_version'],
      zulip_feature_level: 512,
      // No worker runs.
      push_notifications_enabled: false,
      is_incompatible: false,
      email_auth_enabled: true,
      require_email_format_usernames: true,
      authentication_methods: methods,
      external_authentication_methods: [],
      realm_uri: system.gatewayUrl,
      realm_url: system.gatewayUrl,
      realm_name: 'Carillon Demo',
      realm_icon: expect.stringMatching(/^https:\/\//),
      realm_description: expect.stringMatching(/^<p>.*<strong>Carillon<\/strong>.*<\/p>$/),
      realm_web_public_access_enabled: false,
    });
    expect(headers).toMatchObject(crossOrigin);
  });

  it('returns the organisation of the host, with its description as HTML', async () => {
    const { host } = await addOrganisation(system, {
      name: 'Acme <b>',
      description: 'Makes *everything* & <b>more</b>.',
    });
    const url = `http://${host}:${new URL(system.gatewayUrl).port}`;
    expect((await ask({ host })).body).toMatchObject({
      realm_name: 'Acme <b>',
      realm_url: url,
      realm_uri: url,
      realm_description: '<p>Makes <em>everything</em> &amp; &lt;b&gt;more&lt;/b&gt;.</p>',
    });
  });

  it('has an empty description for an organisation without one', async () => {
    const { host } = await addOrganisation(system);
    expect((await ask({ host })).body).toMatchObject({ realm_description: '' });
  });

  it('also returns a deactivated organisation: the sign-in says that it is deactivated', async () => {
    const { host } = await addOrganisation(system, { name: 'Gone', deactivatedAt: new Date() });
    expect(await ask({ host })).toMatchObject({ status: 200, body: { realm_name: 'Gone' } });
  });

  it.each(['nowhere.127.0.0.1', 'system.invalid.127.0.0.1', 'example.org', '127.0.0.1.evil.test'])(
    'answers the unknown host %s with 404',
    async (host) => {
      expect(await ask({ host })).toMatchObject(unknownHost);
    },
  );

  it('answers a request without a host with 404', async () => {
    const connection = await RawConnection.open(Number(new URL(system.gatewayUrl).port));
    connection.write('GET /api/v1/server_settings HTTP/1.0\r\n\r\n');
    expect(await connection.status()).toBe(404);
    connection.end();
  });

  it.each([
    ['of an account', () => basicAuthorization(system.user('alice'))],
    ['with a wrong key', () => 'Basic YTpi'],
    ['that is malformed', () => 'Basic ???'],
    ['of another scheme', () => 'Bearer x'],
  ])('ignores an Authorization header %s', async (_which, authorization) => {
    const reply = await ask({ authorization: authorization() });
    expect(reply).toMatchObject({ status: 200, body: { realm_name: 'Carillon Demo' } });
  });

  it('reports only the client ZulipInvalid as incompatible', async () => {
    const verdict = async (userAgent: string) =>
      (await ask({ 'user-agent': userAgent })).body['is_incompatible'];
    expect(await verdict('ZulipInvalid/5.0')).toBe(true);
    expect(await verdict('ZulipFlutter/0.0.1 (Android 1)')).toBe(false);
  });

  describe('on a server of its own', () => {
    it('counts for the address, also with a sign-in', async () => {
      const own = await startGateway({ RATE_LIMIT_ADDRESS: '600:2' });
      try {
        const authorization = basicAuthorization(own.user('alice'));
        const replies = [];
        for (let calls = 0; calls < 3; calls += 1)
          replies.push(await ask({ authorization }, own.gatewayUrl));
        expect(replies.map(({ status }) => status)).toEqual([200, 200, 429]);
        expect(replies[1]?.headers).toMatchObject({
          'x-ratelimit-limit': '2',
          'x-ratelimit-remaining': '0',
        });
        expect(replies[2]?.headers).toMatchObject(crossOrigin);
      } finally {
        await own.stop();
      }
    });

    it('has no members of an organisation if the root host has none', async () => {
      const own = await startGateway({});
      try {
        await own.database.database.prisma.realm.update({
          where: { subdomain: '' },
          data: { subdomain: 'moved' },
        });
        const { status, body } = await ask({}, own.gatewayUrl);
        expect(status).toBe(200);
        expect(Object.keys(body).filter((name) => name.startsWith('realm_'))).toEqual([]);
        expect(body).toMatchObject({ zulip_feature_level: 512, authentication_methods: methods });
        const moved = await ask({ host: 'moved.127.0.0.1' }, own.gatewayUrl);
        expect(moved.body).toMatchObject({ realm_name: 'Carillon Demo' });
      } finally {
        await own.stop();
      }
    });
  });
});
