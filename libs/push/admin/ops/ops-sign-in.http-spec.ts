import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RawConnection } from '#test/raw-connection';
import { anAddress, OpsApp } from '#test/ops-app';

const TOKEN = 'a token that nobody guesses';
const html = { accept: 'text/html,*/*' };

/** Every route below /ops that is for the operator alone. */
const routes = [
  ['GET', '/ops'],
  ['GET', '/ops/api/overview'],
  ['GET', '/ops/api/dead-letters'],
  ['POST', '/ops/api/dead-letters/requeue'],
  ['POST', '/ops/api/dead-letters/dismiss'],
  ['GET', '/ops/api/notifications'],
  ['POST', '/ops/api/platforms/apns/pause'],
  ['POST', '/ops/api/platforms/apns/resume'],
  ['POST', '/ops/sign-out'],
  ['GET', '/ops/queues'],
  ['GET', '/ops/queues/'],
  ['GET', '/ops/queues/queue/push-apns'],
  ['GET', '/ops/queues/api/queues'],
  ['GET', '/ops/queues/api/queues/push-apns/workers'],
  ['GET', '/ops/queues/static/css/nothing.css'],
  ['PUT', '/ops/queues/api/queues/push-apns/empty'],
  ['GET', '/ops/nowhere'],
  ['PATCH', '/ops/api/overview'],
] as const;

describe('the sign-in of the ops page', () => {
  let sut: OpsApp;

  beforeAll(async () => {
    sut = await OpsApp.start();
  });
  afterAll(() => sut.stop());

  it.each(routes)('is required by %s %s', async (method, path) => {
    const reply = await sut.send(path, { method });
    expect(reply.status).toBe(401);
    expect(reply.headers['www-authenticate']).toBe('Bearer realm="ops"');
    expect(reply.body['error']).toMatch('Sign in at /ops');
  });

  it.each(routes)('is required by %s %s also with an invalid session', async (method, path) => {
    const cookie = 'carillon_ops=9999999999.c2lnbmF0dXJl; XSRF-TOKEN=c2lnbmF0dXJl';
    const headers = { cookie, 'x-xsrf-token': 'c2lnbmF0dXJl' };
    expect((await sut.send(path, { method, headers })).status).toBe(401);
  });

  it('is shown to browsers', async () => {
    const reply = await sut.send('/ops', { headers: html });
    expect(reply).toMatchObject({ status: 303, headers: { location: '/ops/sign-in' } });
    const form = await sut.send('/ops/sign-in', { headers: html });
    expect(form.status).toBe(200);
    expect(form.text).toContain('<form method="post" action="/ops/sign-in">');
  });

  it('exchanges the token for a cookie that scripts cannot read and other sites cannot use', async () => {
    const { cookie, reply } = await sut.signIn();
    expect(reply).toMatchObject({ status: 303, headers: { location: '/ops' } });
    const [session] = reply.headers['set-cookie'] ?? [];
    expect(session).toMatch(
      /^carillon_ops=\d+\.[\w-]{43}; HttpOnly; Max-Age=43200; Path=\/ops; SameSite=Strict$/,
    );
    const page = await sut.send('/ops', { headers: { ...html, cookie } });
    expect(page.status).toBe(200);
    expect(page.text).toContain('<title>Carillon operations</title>');
  });

  it('accepts the token itself from scripts', async () => {
    expect((await sut.get('/ops/api/overview')).status).toBe(200);
  });

  it.each([
    ['a wrong token', { authorization: 'Bearer something else' }],
    ['the token as a password', { authorization: `Basic ${btoa(`ops:${TOKEN}`)}` }],
    ['nothing', { authorization: '' }],
  ])('rejects %s', async (_what, headers) => {
    const reply = await sut.send('/ops/api/overview', { headers });
    expect(reply.status).toBe(401);
  });

  it('shows the fault in the form, without the token', async () => {
    const reply = await sut.post('/ops/sign-in', { token: 'my <wrong> token' });
    expect(reply.status).toBe(401);
    expect(reply.text).toContain('This is not the value of OPS_TOKEN.');
    expect(reply.text).not.toContain('my');
    expect((await sut.post('/ops/sign-in')).status).toBe(401);
  });

  it('ends with a sign-out', async () => {
    const { cookie, proof } = await sut.signIn();
    const headers = { cookie, 'x-xsrf-token': proof };
    const reply = await sut.send('/ops/sign-out', { method: 'POST', headers });
    expect(reply.status).toBe(200);
    expect(reply.headers['set-cookie']).toEqual([
      expect.stringMatching(/^carillon_ops=; HttpOnly; Max-Age=0;/),
      expect.stringMatching(/^XSRF-TOKEN=; Max-Age=0;/),
    ]);
  });

  it.each(routes.filter(([method]) => method === 'POST'))(
    'accepts %s %s from the page only, not from other sites',
    async (method, path) => {
      const { cookie, proof } = await sut.signIn();
      const foreign = await sut.send(path, { method, headers: { cookie } });
      expect(foreign.status).toBe(403);
      const wrong = { cookie, 'x-xsrf-token': `${proof}x` };
      expect((await sut.send(path, { method, headers: wrong })).status).toBe(403);
      const own = { cookie, 'x-xsrf-token': proof };
      expect([200, 400]).toContain((await sut.send(path, { method, headers: own })).status);
    },
  );

  it('limits wrong tokens from an address, and delays all tokens from there', async () => {
    const headers = { 'x-forwarded-for': anAddress() };
    for (const guess of ['one', 'two', 'three']) {
      expect((await sut.post('/ops/sign-in', { token: guess }, headers)).status).toBe(401);
    }
    const began = performance.now();
    const form = await sut.post('/ops/sign-in', { token: 'four' }, headers);
    expect(performance.now() - began).toBeGreaterThan(900);
    expect(form.status).toBe(429);
    expect(form.text).toMatch(/Try again in (29|30) minutes/);
    const wrong = { ...headers, authorization: 'Bearer five' };
    const script = await sut.post('/ops/api/platforms/apns/resume', {}, wrong);
    expect(script).toMatchObject({ status: 429 });
    expect(Number(script.headers['retry-after'])).toBeGreaterThan(1700);
  });

  it('counts an IPv6 network of wrong tokens as one address', async () => {
    const network = anAddress().replace(/::1$/, '');
    const guess = (host: number) =>
      sut.post('/ops/sign-in', { token: 'x' }, { 'x-forwarded-for': `${network}::${host}` });
    for (const host of [1, 2, 3]) expect((await guess(host)).status).toBe(401);
    expect((await guess(4)).status).toBe(429);
  });

  it('never rejects the right token or a session, whatever the address', async () => {
    const headers = { 'x-forwarded-for': anAddress() };
    const { cookie } = await sut.signIn();
    const guess = () => sut.post('/ops/sign-in', { token: 'guess' }, headers);
    for (let count = 0; count < 6; count += 1) await guess();
    expect((await guess()).status).toBe(429);
    const withSession = { ...headers, cookie };
    expect((await sut.send('/ops/api/overview', { headers: withSession })).status).toBe(200);
    const withToken = { ...headers, authorization: `Bearer ${TOKEN}` };
    expect((await sut.send('/ops/api/overview', { headers: withToken })).status).toBe(200);
    const form = await sut.post('/ops/sign-in', { token: TOKEN }, headers);
    expect(form).toMatchObject({ status: 303, headers: { location: '/ops' } });
  });

  it.each([
    ['POST', '/ops/sign-out', 401],
    ['POST', '/ops/api/dead-letters/requeue', 401],
    ['POST', '/ops/nowhere', 401],
    ['POST', '/ops/sign-in', 413],
  ])('rejects %s %s without a sign-in before the body is read', async (method, path, status) => {
    const connection = await RawConnection.open(Number(new URL(sut.url).port));
    connection.request(`${method} ${path}`, {
      'Content-Type': 'application/json',
      'Content-Length': 1_000_000,
    });
    expect(await connection.status()).toBe(status);
    connection.end();
  });

  it.each(['/ops', '/ops/nowhere', '/ops/queues', '/ops/sign-in'])(
    'answers an invalid request to %s like all others',
    async (path) => {
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': ';' };
      const reply = await sut.send(path, { method: 'POST', headers, body: 'x' });
      expect(reply.body).toEqual({ error: expect.any(String) });
    },
  );

  it('resets the count of wrong tokens after a right one', async () => {
    const headers = { 'x-forwarded-for': anAddress() };
    for (const guess of ['one', 'two', TOKEN, 'three', 'four']) {
      const { status } = await sut.post('/ops/sign-in', { token: guess }, headers);
      expect(status).toBe(guess === TOKEN ? 303 : 401);
    }
  });

  it('does not delay concurrent requests with the token', async () => {
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => sut.post('/ops/api/platforms/fcm/resume')),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('answers unknown paths, to the operator only and outside the envelope of the API', async () => {
    const reply = await sut.get('/ops/nowhere?x=1');
    expect(reply.status).toBe(404);
    expect(reply.body).toEqual({ error: 'There is no GET /ops/nowhere.' });
  });

  it.each([
    ['PUT', '/ops', 'GET, HEAD'],
    ['DELETE', '/ops/api/overview', 'GET, HEAD'],
    ['GET', '/ops/api/platforms/apns/pause', 'POST'],
    ['PUT', '/ops/sign-in', 'GET, HEAD, POST'],
    ['POST', '/ops/queues/queue/push-apns', 'GET, HEAD'],
  ] as const)('names the allowed methods for %s %s', async (method, path, allow) => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const refused = await sut.send(path, { method, headers });
    expect(refused).toMatchObject({ status: 405, headers: { allow } });
    expect(refused.body['error']).toBe(`${path} takes ${allow}, and no ${method}.`);
    const asked = await sut.send(path, { method: 'OPTIONS', headers });
    expect(asked).toMatchObject({ status: 204, headers: { allow } });
  });

  it.each(['/ops', '/ops/api/overview', '/ops/sign-in', '/ops/files/ops.js', '/ops/queues'])(
    'answers HEAD %s as GET, without the body',
    async (path) => {
      const headers = { authorization: `Bearer ${TOKEN}` };
      const reply = await sut.send(path, { method: 'HEAD', headers });
      expect([reply.status, reply.text]).toEqual([200, '']);
    },
  );

  it('allows a page to load only its own resources', async () => {
    for (const path of ['/ops', '/ops/queues', '/ops/sign-in']) {
      const { cookie } = await sut.signIn();
      const { headers } = await sut.send(path, { headers: { ...html, cookie } });
      const policy = headers['content-security-policy'];
      expect(policy).toMatch("default-src 'none'; script-src 'self';");
      expect(policy).toMatch("frame-ancestors 'none'");
      expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
    }
  });

  it('serves the files of the page and no others', async () => {
    for (const [name, type] of [
      ['ops.js', 'text/javascript; charset=utf-8'],
      ['base.css', 'text/css; charset=utf-8'],
      ['uPlot.esm.js', 'text/javascript; charset=utf-8'],
      ['icon.svg', 'image/svg+xml'],
    ] as const) {
      const reply = await sut.send(`/ops/files/${name}`);
      expect(reply).toMatchObject({ status: 200, headers: { 'content-type': type } });
    }
    for (const name of ['nothing.js', 'ops.html', '..%2f..%2fsrc%2fmain.ts', 'constructor']) {
      expect((await sut.send(`/ops/files/${name}`)).status).toBe(404);
    }
  });
});

describe('the ops page behind HTTPS', () => {
  it('sets cookies that are never sent unencrypted', async () => {
    const sut = await OpsApp.start({ externalUrl: 'https://chat.test' });
    const { reply } = await sut.signIn();
    for (const cookie of reply.headers['set-cookie'] ?? []) expect(cookie).toMatch(/; Secure$/);
    expect(reply.headers['set-cookie']).toHaveLength(2);
    await sut.stop();
  });
});

describe('the ops page without a token', () => {
  let sut: OpsApp;

  beforeAll(async () => {
    sut = await OpsApp.start({ token: null });
  });
  afterAll(() => sut.stop());

  it.each([...routes, ['GET', '/ops/sign-in'], ['POST', '/ops/sign-in']] as const)(
    'is off, and %s %s explains how to switch it on',
    async (method, path) => {
      const reply = await sut.send(path, { method, headers: { authorization: 'Bearer ' } });
      expect(reply.status).toBe(404);
      expect(reply.text).toMatch('The ops page is off. Set OPS_TOKEN');
    },
  );

  it('explains that to a browser with a page', async () => {
    const reply = await sut.send('/ops', { headers: html });
    expect(reply.status).toBe(404);
    expect(reply.headers['content-type']).toMatch('text/html');
    expect(reply.text).toMatch('The ops page is off. Set OPS_TOKEN');
  });
});
