import { describe, expect, it } from '@jest/globals';
import { basicAuthorization } from '#test/api-client';
import type { Reply } from '#test/http-request';
import { addOrganisation } from '#test/organisation';
import { RawConnection } from '#test/raw-connection';
import { useGateway } from '#test/start-gateway';

// Failed sign-ins count for half an hour: use a separate gateway.
const system = useGateway({});

/** A request that every account may make, without its required parameter: the sign-in is checked before. */
const requestWith = (headers: Readonly<Record<string, string>>): Promise<Reply> =>
  system.anonymous().send('POST', '/users/me/presence', { headers });

const signInAs = (email: string, apiKey: string): Promise<Reply> =>
  requestWith({ authorization: basicAuthorization({ email, api_key: apiKey }) });

const keyOf = (name: string): string => system.user(name).api_key;
const emailOf = (name: string): string => system.user(name).email;
const passwordOf = (name: string): string => system.user(name).password;

const fetchKey = (username: string, password: string): Promise<Reply> =>
  system.anonymous().post('/fetch_api_key', { username, password });

const refusal = (status: number, code: string, msg: string) => ({
  status,
  body: { result: 'error', msg, code },
});
const unauthorized = (msg: string) => refusal(401, 'UNAUTHORIZED', msg);

/** The response after a successful sign-in. */
const accepted = refusal(400, 'REQUEST_VARIABLE_MISSING', "Missing 'status' argument");

describe('Signing in by HTTP Basic', () => {
  it('requires credentials', async () => {
    expect(await requestWith({})).toMatchObject(
      unauthorized('Not logged in: API authentication or user session required'),
    );
  });

  it('refuses another scheme', async () => {
    expect(await requestWith({ authorization: 'Bearer abc' })).toMatchObject(
      refusal(400, 'BAD_REQUEST', 'This endpoint requires HTTP basic authentication.'),
    );
  });

  it('refuses a header without credentials', async () => {
    expect(await requestWith({ authorization: 'Basic' })).toMatchObject(
      unauthorized('Invalid authorization header for basic auth'),
    );
  });

  it('refuses an unknown key', async () => {
    expect(await signInAs(emailOf('alice'), 'x'.repeat(32))).toMatchObject(
      unauthorized('Invalid API key'),
    );
  });

  it('refuses a deactivated account', async () => {
    expect(await signInAs(emailOf('dora'), keyOf('dora'))).toMatchObject(
      unauthorized('Account is deactivated'),
    );
  });

  it('refuses the accounts of a deactivated organisation', async () => {
    const closed = await addOrganisation(system, { deactivatedAt: new Date() });
    const { api } = await closed.addPerson();
    expect(await api.post('/users/me/presence')).toMatchObject(
      unauthorized('This organization has been deactivated'),
    );
  });

  it.each(['acme.127.0.0.1', 'elsewhere.example'])(
    'refuses an account at %s, the host of another organisation',
    async (host) => {
      const authorization = basicAuthorization(system.user('alice'));
      expect(await requestWith({ authorization, host })).toMatchObject(
        unauthorized('Account is not associated with this subdomain'),
      );
    },
  );

  it('sends WWW-Authenticate with 401 only', async () => {
    const unknown = await signInAs(emailOf('alice'), 'x'.repeat(32));
    expect(unknown.headers['www-authenticate']).toBe('Basic realm="zulip"');
    const otherScheme = await requestWith({ authorization: 'Bearer abc' });
    expect(otherScheme.headers['www-authenticate']).toBeUndefined();
  });

  it.each(['owner', 'alice', 'carol', 'guest', 'alice_bot', 'admin_bot'])(
    'accepts the account %s',
    async (name) => {
      expect(await signInAs(emailOf(name), keyOf(name))).toMatchObject(accepted);
    },
  );

  it('ignores the case of the address, and blanks around address and key', async () => {
    const email = ` ${emailOf('alice').toUpperCase()} `;
    expect(await signInAs(email, ` ${keyOf('alice')}\n`)).toMatchObject(accepted);
  });

  it('ignores the case of the scheme', async () => {
    const authorization = basicAuthorization(system.user('alice')).replace('Basic', 'bAsIc');
    expect(await requestWith({ authorization })).toMatchObject(accepted);
  });

  it('accepts localhost as the host of the root organisation', async () => {
    const authorization = basicAuthorization(system.user('alice'));
    expect(await requestWith({ authorization, host: 'localhost:1234' })).toMatchObject(accepted);
  });
});

describe('POST /fetch_api_key', () => {
  const wrongPassword = refusal(
    401,
    'AUTHENTICATION_FAILED',
    'Your username or password is incorrect',
  );

  it('returns the key for the password', async () => {
    const reply = await fetchKey(emailOf('alice'), passwordOf('alice'));
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      result: 'success',
      msg: '',
      api_key: keyOf('alice'),
      email: emailOf('alice'),
      user_id: system.user('alice').user_id,
    });
  });

  it('gives the same error for a wrong password and an unknown account', async () => {
    expect(await fetchKey(emailOf('owner'), 'wrong')).toMatchObject(wrongPassword);
    expect(await fetchKey('nobody@demo.carillon.test', 'wrong')).toMatchObject(wrongPassword);
  });

  it('reports a deactivated account only with the right password', async () => {
    expect(await fetchKey(emailOf('dora'), 'wrong')).toMatchObject(wrongPassword);
    expect(await fetchKey(emailOf('dora'), passwordOf('dora'))).toMatchObject(
      refusal(401, 'USER_DEACTIVATED', 'Account is deactivated'),
    );
  });

  it('refuses accounts of a deactivated organisation', async () => {
    const { host } = await addOrganisation(system, { deactivatedAt: new Date() });
    const reply = await system.anonymous().send('POST', '/fetch_api_key', {
      headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'username=a&password=b',
    });
    expect(reply).toMatchObject(
      refusal(401, 'REALM_DEACTIVATED', 'This organization has been deactivated'),
    );
  });

  it('refuses an unknown host', async () => {
    const reply = await system.anonymous().send('POST', '/fetch_api_key', {
      headers: { host: 'acme.127.0.0.1', 'content-type': 'application/x-www-form-urlencoded' },
      body: 'username=a&password=b',
    });
    expect(reply).toMatchObject(refusal(404, 'NONEXISTENT_SUBDOMAIN', 'Invalid subdomain'));
  });

  it('refuses a request without a host', async () => {
    const connection = await RawConnection.open(Number(new URL(system.gatewayUrl).port));
    const body = 'username=a&password=b';
    const head = [
      'POST /api/v1/fetch_api_key HTTP/1.0',
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${body.length}`,
    ];
    connection.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    expect(await connection.status()).toBe(404);
    await connection.closed();
    expect(connection.received).toContain('"code":"NONEXISTENT_SUBDOMAIN"');
  });

  it.each([
    ['username', { password: 'x' }],
    ['password', { username: 'x' }],
  ])('requires %s', async (name, fields) => {
    const reply = await system.anonymous().post('/fetch_api_key', fields);
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ code: 'REQUEST_VARIABLE_MISSING', var_name: name });
  });

  it('is blocked after five failures, also with the right password', async () => {
    for (let tries = 1; tries <= 5; tries += 1) {
      expect(await fetchKey(emailOf('guest'), `guess ${tries}`)).toMatchObject(wrongPassword);
    }
    const sixth = await fetchKey(emailOf('guest'), passwordOf('guest'));
    expect(sixth).toMatchObject(refusal(429, 'RATE_LIMIT_HIT', 'API usage exceeded rate limit'));
    expect(Number(sixth.headers['retry-after'])).toBeGreaterThan(1500);
    expect(sixth.body['retry-after']).toBe(Number(sixth.headers['retry-after']));
  });
});
