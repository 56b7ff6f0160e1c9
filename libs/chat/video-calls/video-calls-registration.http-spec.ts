import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { badRequest } from '#test/answers';
import { EventClient } from '#test/event-client';
import { sendRequest } from '#test/http-request';
import { addOrganisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { json, startVideoProvider } from '#test/video-provider';
import {
  addRegistered,
  beginRegistration,
  consent,
  countTokens,
  register,
} from './video-calls-people.fixture.js';

const provider = useFixture(startVideoProvider);
const system = useGateway(() => ({
  ...provider.environment,
  VIDEO_CALL_DEADLINE_MS: '1000',
}));
const organisation = useFixture(() => addOrganisation(system));

afterEach(() => provider.recover());

const tokensOf = (person: Person) => countTokens(system.database.database, person);
const complete = (name: string, query: Record<string, string>) =>
  sendRequest(`${system.gatewayUrl}/calls/${name}/complete?${new URLSearchParams(query)}`);

const page = (status: number, text: string) => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  text: expect.stringContaining(`<p>${text}</p>`),
});
const badSession = page(400, 'Invalid Webex session identifier');
const badCredentials = page(400, 'Invalid Webex credentials');

describe('POST /calls/{video_provider}/register', () => {
  it('rejects an unknown provider', async () => {
    expect(await system.api('alice').post('/calls/teams/register')).toMatchObject(
      badRequest('Invalid video call provider'),
    );
  });

  it.each([
    ['webex', '/v1/authorize', 'meeting:schedules_write'],
    ['zoom', '/oauth/authorize', null],
  ])('returns the consent page of %s', async (name, path, scope) => {
    const { status, body } = await system.api('alice').post(`/calls/${name}/register`, { x: '1' });
    expect(status).toBe(200);
    expect(body).toEqual({
      result: 'success',
      msg: '',
      ignored_parameters_unsupported: ['x'],
      url: expect.stringContaining(`${provider.url}${path}?`),
    });
    const query = new URL(String(body['url'])).searchParams;
    expect(query.get('redirect_uri')).toBe(`${system.gatewayUrl}/calls/${name}/complete`);
    expect(query.get('scope')).toBe(scope);
    expect(String(body['url'])).not.toContain('se_cret');
  });
});

describe('GET /calls/{video_provider}/complete', () => {
  it.each(['webex', 'zoom'])(
    'completes a registration at %s with a page that closes itself',
    async (name) => {
      const person = await organisation.addPerson();
      const reply = await register(person, name);
      expect(reply).toMatchObject(page(200, 'You can close this window.'));
      expect(reply.headers).toMatchObject({
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cache-control': expect.stringContaining('no-store'),
      });
      expect(await tokensOf(person)).toBe(1);
      expect(await person.api.post(`/calls/${name}/create`)).toMatchObject({ status: 200 });
    },
  );

  it('allows only the script of its page', async () => {
    const reply = await register(await organisation.addPerson(), 'webex');
    const [, script = ''] = /<script>(.*)<\/script>/.exec(reply.text) ?? [];
    const digest = createHash('sha256').update(script).digest('base64');
    expect(reply.headers['content-security-policy']).toContain(`script-src 'sha256-${digest}'`);
  });

  it('tells the clients of the account alone that it has a token', async () => {
    const person = await organisation.addPerson();
    const other = await organisation.addPerson();
    const wanted = { event_types: ['has_webex_token'], fetch_event_types: ['video_calls'] };
    const clients = [
      await EventClient.register(person.api, wanted),
      await EventClient.register(other.api, wanted),
    ] as const;
    expect(clients[0].state).toMatchObject({ has_webex_token: false });
    await register(person, 'webex');
    expect(await clients[0].take()).toMatchObject([{ type: 'has_webex_token', value: true }]);
    expect(await clients[1].drain()).toEqual([]);
    const later = await EventClient.register(person.api, wanted);
    expect(later.state).toMatchObject({ has_webex_token: true });
  });

  it('stores the token encrypted', async () => {
    const person = await addRegistered(organisation, 'webex');
    const row = await system.database.database.prisma.videoCallToken.findFirstOrThrow({
      where: { userId: person.id },
    });
    expect(Buffer.from(row.sealed).toString('latin1')).not.toMatch(/access|refresh/);
  });

  it('rejects a repeated redirect and keeps the token', async () => {
    const person = await organisation.addPerson();
    const redirect = await consent(await beginRegistration(person, 'webex'));
    expect(await sendRequest(redirect)).toMatchObject({ status: 200 });
    // A provider revokes the tokens of a code that is used twice, so the server must not send the code again.
    provider.grantAnswer = () => json(500, {});
    expect(await sendRequest(redirect)).toMatchObject(badSession);
    expect(await person.api.post('/calls/webex/create')).toMatchObject({ status: 200 });
  });

  it('replaces the token of an earlier registration', async () => {
    const person = await addRegistered(organisation, 'webex');
    provider.revokeAccessTokens();
    expect(await register(person, 'webex')).toMatchObject({ status: 200 });
    expect(await person.api.post('/calls/webex/create')).toMatchObject({ status: 200 });
    expect(await tokensOf(person)).toBe(1);
  });

  it('completes one of two concurrent redirects', async () => {
    const person = await organisation.addPerson();
    const redirect = await consent(await beginRegistration(person, 'webex'));
    const replies = await Promise.all([sendRequest(redirect), sendRequest(redirect)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect(await tokensOf(person)).toBe(1);
  });

  it('rejects a forged, truncated or missing state', async () => {
    const person = await organisation.addPerson();
    const redirect = new URL(await consent(await beginRegistration(person, 'webex')));
    const state = redirect.searchParams.get('state') ?? '';
    const code = redirect.searchParams.get('code') ?? '';
    const [head = '', payload = '', signature = ''] = state.split('.');
    const forged = Buffer.from(payload, 'base64url').toString().replace(/"\d+"/, '"1"');
    const states = [
      '',
      'x',
      `${head}.${Buffer.from(forged).toString('base64url')}.${signature}`,
      `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`,
      state.slice(0, -4),
    ];
    for (const one of states) {
      expect(await complete('webex', { state: one, code })).toMatchObject(badSession);
    }
    expect(await complete('webex', { code })).toMatchObject(badSession);
    expect(await sendRequest(`${redirect.href}&state=twice`)).toMatchObject(badSession);
    expect(await complete('zoom', { state, code })).toMatchObject(
      page(400, 'Invalid Zoom session identifier'),
    );
    expect(await tokensOf(person)).toBe(0);
    expect(await sendRequest(redirect.href)).toMatchObject({ status: 200 });
  });

  it.each([
    ['has no code', {}],
    ['has an empty code', { code: '' }],
    ['reports a denied consent', { error: 'access_denied' }],
    ['has an unknown code', { code: 'guessed' }],
  ])('rejects a redirect that %s', async (_what, query) => {
    const person = await organisation.addPerson();
    const url = new URL(await beginRegistration(person, 'webex'));
    const state = url.searchParams.get('state') ?? '';
    expect(await complete('webex', { state, ...query })).toMatchObject(badCredentials);
    expect(await tokensOf(person)).toBe(0);
  });

  it.each([
    ['an error', () => json(500, {})],
    ['no token', () => json(200, {})],
    [
      'a token that is invalid in a header',
      () => json(200, { access_token: 'tök\n', token_type: 'bearer' }),
    ],
    ['no JSON', () => ({ status: 200, body: '<html>' })],
    ['nothing', () => null],
  ])('fails when the provider answers the code with %s', async (_what, answer) => {
    const person = await organisation.addPerson();
    provider.grantAnswer = answer;
    expect(await register(person, 'webex')).toMatchObject(badCredentials);
    expect(await tokensOf(person)).toBe(0);
  });

  it('stores no token for a deactivated account', async () => {
    const person = await organisation.addPerson();
    const redirect = await consent(await beginRegistration(person, 'webex'));
    const { prisma } = system.database.database;
    await prisma.user.update({ where: { id: person.id }, data: { isActive: false } });
    expect(await sendRequest(redirect)).toMatchObject(badSession);
    expect(await tokensOf(person)).toBe(0);
  });

  it('never shows values of the request', async () => {
    const script = '<script>alert(1)</script>';
    const provoked = await complete(encodeURIComponent(script), { state: script, code: script });
    expect(provoked).toMatchObject(page(400, 'Invalid video call provider'));
    const other = await complete('webex', { state: script, error: script, code: script });
    expect(other).toMatchObject(badSession);
    expect(provoked.text + other.text).not.toContain('alert');
  });
});
