import { afterEach, describe, expect, it } from '@jest/globals';
import { badRequest } from '#test/answers';
import { EventClient } from '#test/event-client';
import { sendRequest } from '#test/http-request';
import { addOrganisation, type Person } from '#test/organisation';
import { startGateway, useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { json, startVideoProvider } from '#test/video-provider';
import { addRegistered, countTokens, register } from './video-calls-people.fixture.js';

const DEADLINE_MS = 1000;

const provider = useFixture(startVideoProvider);
const system = useGateway(() => ({
  ...provider.environment,
  VIDEO_CALL_DEADLINE_MS: String(DEADLINE_MS),
}));
const organisation = useFixture(() => addOrganisation(system));

afterEach(() => provider.recover());

const create = (person: Person, name: string) => person.api.post(`/calls/${name}/create`);
const tokensOf = (person: Person) => countTokens(system.database.database, person);

const invalidToken = (title: string) => ({
  status: 400,
  body: {
    result: 'error',
    code: 'INVALID_VIDEO_CALL_PROVIDER_TOKEN',
    msg: `Invalid ${title} access token`,
  },
});
const failed = (title: string) => ({
  status: 400,
  body: { result: 'error', code: 'BAD_REQUEST', msg: `Failed to create ${title} call` },
});

describe('the fetch type realm of POST /register', () => {
  it('contains the configured providers', async () => {
    const person = await organisation.addPerson();
    const { state } = await EventClient.register(person.api, { fetch_event_types: ['realm'] });
    expect(state).toMatchObject({
      realm_video_chat_provider: 3,
      realm_available_video_chat_providers: {
        disabled: { id: 0, name: 'None' },
        zoom: { id: 3, name: 'Zoom' },
        webex: { id: 8, name: 'Webex' },
      },
    });
  });
});

describe('POST /calls/{video_provider}/create', () => {
  it.each(['teams', 'Webex', 'constructor', 'web%20ex'])(
    'rejects the provider %s',
    async (name) => {
      expect(await system.api('alice').post(`/calls/${name}/create`)).toMatchObject(
        badRequest('Invalid video call provider'),
      );
    },
  );

  it('lists unsupported parameters', async () => {
    const person = await addRegistered(organisation, 'zoom');
    const { body } = await person.api.post('/calls/zoom/create', { is_video_call: true });
    expect(body['ignored_parameters_unsupported']).toEqual(['is_video_call']);
  });

  it.each(['guest', 'alice_bot', 'admin'])('accepts the caller %s', async (name) => {
    expect(await system.api(name).post('/calls/webex/create')).toMatchObject(invalidToken('Webex'));
  });

  it('creates a Webex meeting of forty minutes without emails', async () => {
    const person = await addRegistered(organisation, 'webex');
    const { status, body } = await create(person, 'webex');
    expect(status).toBe(200);
    expect(body).toEqual({ result: 'success', msg: '', url: `${provider.url}/meet/webex-1` });
    expect(provider.meetings).toMatchObject([{ path: '/v1/meetings', body: { sendEmail: false } }]);
    const { start, end } = provider.meetings[0]?.body ?? {};
    expect(Date.parse(String(end)) - Date.parse(String(start))).toBe(40 * 60_000);
    expect(Math.abs(Date.parse(String(start)) - Date.now())).toBeLessThan(90_000);
  });

  it('creates an instant Zoom meeting', async () => {
    const person = await addRegistered(organisation, 'zoom');
    const { status, body } = await create(person, 'zoom');
    expect(status).toBe(200);
    expect(body).toEqual({ result: 'success', msg: '', url: `${provider.url}/meet/zoom-1` });
    expect(provider.meetings).toMatchObject([{ path: '/v2/users/me/meetings', body: { type: 1 } }]);
  });

  it('uses the token of the account at the provider', async () => {
    const person = await addRegistered(organisation, 'webex');
    const other = await organisation.addPerson();
    expect(await create(person, 'zoom')).toMatchObject(invalidToken('Zoom'));
    expect(await create(other, 'webex')).toMatchObject(invalidToken('Webex'));
    expect(provider.meetings).toEqual([]);
  });

  it('removes a token that the provider rejects', async () => {
    const person = await addRegistered(organisation, 'webex');
    provider.revokeAccessTokens();
    expect(await create(person, 'webex')).toMatchObject(invalidToken('Webex'));
    expect(await tokensOf(person)).toBe(0);
    expect(await create(person, 'webex')).toMatchObject(invalidToken('Webex'));
    expect(provider.meetings).toHaveLength(1);
  });

  it('keeps a token that was stored while the provider rejected the previous one', async () => {
    const person = await addRegistered(organisation, 'webex');
    provider.meetingAnswer = async () => {
      provider.meetingAnswer = null;
      await register(person, 'webex');
      return json(401, { message: 'Unauthorized' });
    };
    expect(await create(person, 'webex')).toMatchObject(invalidToken('Webex'));
    expect(await create(person, 'webex')).toMatchObject({ status: 200 });
  });

  it.each([
    ['an error', () => json(503, { message: 'Come again' })],
    ['a rejection of the meeting', () => json(403, { message: 'Not with this plan' })],
    ['no meeting', () => json(200, { id: 1 })],
    ['an address that is a script', () => json(200, linkTo('javascript:alert(1)'))],
    ['an empty link', () => json(200, linkTo(''))],
    ['another type', () => json(200, [1])],
    ['no JSON', () => ({ status: 200, body: '<html>' })],
    ['nothing', () => null],
  ])('fails but keeps the token when the provider answers with %s', async (_what, answer) => {
    const person = await addRegistered(organisation, 'zoom');
    provider.meetingAnswer = answer;
    expect(await create(person, 'zoom')).toMatchObject(failed('Zoom'));
    provider.recover();
    expect(await create(person, 'zoom')).toMatchObject({ status: 200 });
  });

  it('does not refresh a token without an expiry', async () => {
    provider.lifetimeSeconds = null;
    const person = await addRegistered(organisation, 'webex');
    expect(await create(person, 'webex')).toMatchObject({ status: 200 });
    expect(provider.refreshes).toEqual([]);
  });
});

const linkTo = (url: string) => ({ webLink: url, join_url: url });

describe('a token that is about to expire', () => {
  const addExpiring = async (name: string): Promise<Person> => {
    provider.lifetimeSeconds = 59;
    const person = await addRegistered(organisation, name);
    provider.lifetimeSeconds = 3600;
    return person;
  };

  it.each(['webex', 'zoom'])('is refreshed once at %s', async (name) => {
    const person = await addExpiring(name);
    expect(await create(person, name)).toMatchObject({ status: 200 });
    expect(await create(person, name)).toMatchObject({ status: 200 });
    expect(provider.refreshes).toHaveLength(1);
  });

  it('is refreshed again when the new token is about to expire', async () => {
    const person = await addExpiring('webex');
    provider.lifetimeSeconds = 1;
    expect(await create(person, 'webex')).toMatchObject({ status: 200 });
    expect(await create(person, 'webex')).toMatchObject({ status: 200 });
    expect(new Set(provider.refreshes).size).toBe(2);
  });

  it('is refreshed once for concurrent calls', async () => {
    const person = await addExpiring('zoom');
    const replies = await Promise.all(Array.from({ length: 8 }, () => create(person, 'zoom')));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect(provider.refreshes).toHaveLength(1);
    expect(new Set(provider.meetings.map(({ accessToken }) => accessToken)).size).toBe(1);
  });

  it('is removed when the provider rejects the refresh', async () => {
    const person = await addExpiring('webex');
    provider.revokeRefreshTokens();
    expect(await create(person, 'webex')).toMatchObject(invalidToken('Webex'));
    expect(await tokensOf(person)).toBe(0);
    expect(provider.meetings).toEqual([]);
  });

  it('is removed when it has no refresh token', async () => {
    provider.grantAnswer = () =>
      json(200, { access_token: 'a', token_type: 'bearer', expires_in: 5 });
    const person = await addRegistered(organisation, 'webex');
    expect(await create(person, 'webex')).toMatchObject(invalidToken('Webex'));
    expect(await tokensOf(person)).toBe(0);
  });

  it('keeps its refresh token if the refresh grants no other', async () => {
    const person = await addExpiring('webex');
    provider.grantAnswer = () =>
      json(200, { access_token: 'a', token_type: 'bearer', expires_in: 5 });
    provider.meetingAnswer = () => json(200, linkTo(`${provider.url}/meet`));
    expect(await create(person, 'webex')).toMatchObject({ status: 200 });
    expect(await create(person, 'webex')).toMatchObject({ status: 200 });
    expect(provider.refreshes).toHaveLength(2);
    expect(new Set(provider.refreshes).size).toBe(1);
  });

  it('does not remove a token that was stored during a rejected refresh', async () => {
    const person = await addExpiring('webex');
    provider.grantAnswer = async () => {
      provider.grantAnswer = null;
      await register(person, 'webex');
      return json(400, { error: 'invalid_grant' });
    };
    expect(await create(person, 'webex')).toMatchObject(invalidToken('Webex'));
    expect(await create(person, 'webex')).toMatchObject({ status: 200 });
  });

  it('can be refreshed after another refresh was interrupted', async () => {
    const person = await addExpiring('webex');
    const { prisma } = system.database.database;
    const where = { userId: person.id };
    let marked: { sealed: Uint8Array<ArrayBuffer> } | undefined;
    provider.grantAnswer = async () => {
      marked = await prisma.videoCallToken.findFirstOrThrow({ where, select: { sealed: true } });
      return json(500, {});
    };
    expect(await create(person, 'webex')).toMatchObject(failed('Webex'));
    provider.recover();
    await prisma.videoCallToken.updateMany({ where, data: marked ?? {} });
    // This call waits for the interrupted refresh.
    expect(await create(person, 'webex')).toMatchObject(failed('Webex'));
    expect(provider.refreshes).toEqual([]);
    expect(await create(person, 'webex')).toMatchObject({ status: 200 });
  });

  it.each([
    ['an error', () => json(500, {})],
    ['no token', () => json(200, { token_type: 'bearer' })],
    ['no JSON', () => ({ status: 200, body: 'access_token=1' })],
    ['a rejection of this server', () => json(401, { error: 'invalid_client' })],
    ['nothing', () => null],
  ])('is kept when the provider answers a refresh with %s', async (_what, answer) => {
    const person = await addExpiring('zoom');
    provider.grantAnswer = answer;
    const replies = await Promise.all([create(person, 'zoom'), create(person, 'zoom')]);
    for (const reply of replies) expect(reply).toMatchObject(failed('Zoom'));
    provider.recover();
    expect(await create(person, 'zoom')).toMatchObject({ status: 200 });
  });
});

describe('an unreachable provider', () => {
  it('does not remove the token', async () => {
    const gone = await startVideoProvider();
    const other = await startGateway(gone.environment);
    try {
      const person = await addRegistered(await addOrganisation(other), 'webex');
      await gone.stop();
      expect(await create(person, 'webex')).toMatchObject(failed('Webex'));
      expect(await countTokens(other.database.database, person)).toBe(1);
    } finally {
      await other.stop();
    }
  });
});

describe('a provider that is not configured', () => {
  it('is named in the error', async () => {
    const off = await startGateway();
    try {
      for (const [name, title] of [
        ['webex', 'Webex'],
        ['zoom', 'Zoom'],
      ] as const) {
        const msg = `${title} credentials have not been configured`;
        const error = { status: 400, body: { code: 'BAD_REQUEST', msg } };
        expect(await off.api('alice').post(`/calls/${name}/create`)).toMatchObject(error);
        expect(await off.api('alice').post(`/calls/${name}/register`)).toMatchObject(error);
        const page = await sendRequest(`${off.gatewayUrl}/calls/${name}/complete?state=x&code=y`);
        expect(page).toMatchObject({ status: 400, text: expect.stringContaining(msg) });
      }
    } finally {
      await off.stop();
    }
  });
});
