import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { roles } from '#directory/roles';
import { badRequest, success } from '#test/answers';
import type { Reply } from '#test/http-request';
import { addOrganisation, type Person } from '#test/organisation';
import { androidToken, DEMO_APP_ID, iphoneToken } from '#test/push-tokens';
import { useGateway } from '#test/start-gateway';

const system = useGateway();
let member: Person;
let guest: Person;
let bot: Person;
let hidden: Person;

beforeAll(async () => {
  const organisation = await addOrganisation(system);
  member = await organisation.addPerson();
  guest = await organisation.addPerson({ role: roles.guest });
  bot = await organisation.addPerson({ isBot: true, botOwnerId: member.id });
  hidden = await organisation.addPerson({ isPresenceEnabled: false });
});

const iphone = {
  path: '/users/me/apns_device_token',
  newToken: iphoneToken,
  extra: { appid: DEMO_APP_ID },
};
const android = { path: '/users/me/android_gcm_reg_id', newToken: androidToken, extra: {} };

const registerIphone = (fields: Readonly<Record<string, string>>): Promise<Reply> =>
  member.api.post(iphone.path, fields);

const wrongLength = badRequest('Empty or invalid length token');
const unknownToken = badRequest('Token does not exist');

describe.each([
  ['an iPhone', iphone],
  ['an Android phone', android],
])('The registration of %s', (_phone, { path, newToken, extra }) => {
  const register = (token: string, { api } = member): Promise<Reply> =>
    api.post(path, { token, ...extra });
  const remove = (token: string, { api } = member): Promise<Reply> => api.delete(path, { token });

  it.each(['POST', 'DELETE'])('requires a token: %s', async (method) => {
    const reply = await member.api.send(method, path);
    expect(reply).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'token' },
    });
  });

  it.each([
    ['an empty token', ''],
    ['a token of 4097 characters', 'a'.repeat(4097)],
  ])('refuses %s', async (_what, token) => {
    expect(await register(token)).toMatchObject(wrongLength);
    expect(await remove(token)).toMatchObject(wrongLength);
  });

  it('accepts a token of 4096 characters', async () => {
    const token = randomBytes(2048).toString('hex');
    expect(await register(token)).toMatchObject(success);
    expect(await remove(token)).toMatchObject(success);
  });

  it('returns the envelope only', async () => {
    const reply = await register(newToken());
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ result: 'success', msg: '' });
  });

  it('can be repeated', async () => {
    const token = newToken();
    expect(await register(token)).toMatchObject(success);
    expect(await register(token)).toMatchObject(success);
    expect(await remove(token)).toMatchObject(success);
    expect(await remove(token)).toMatchObject(unknownToken);
  });

  it('accepts concurrent repetitions', async () => {
    const token = newToken();
    const replies = await Promise.all(Array.from({ length: 10 }, () => register(token)));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect(await remove(token)).toMatchObject(success);
    expect(await remove(token)).toMatchObject(unknownToken);
  });

  it.each([
    ['a guest', () => guest],
    ['a bot', () => bot],
    ['a person without presence', () => hidden],
  ])('is allowed for %s', async (_who, person) => {
    const token = newToken();
    expect(await register(token, person())).toMatchObject(success);
    expect(await remove(token, person())).toMatchObject(success);
  });
});

describe('An iPhone’s token', () => {
  it.each(['xyz', 'apple-tokenaa', '[object Object]', `${'ab'.repeat(31)}a`])(
    'must be hexadecimal, unlike %s',
    async (token) => {
      expect(await registerIphone({ token, appid: DEMO_APP_ID })).toMatchObject(
        badRequest('Invalid APNS token'),
      );
      expect(await member.api.delete(iphone.path, { token })).toMatchObject(
        badRequest('Invalid APNS token'),
      );
    },
  );

  it('is equal in upper case', async () => {
    const token = iphoneToken();
    await registerIphone({ token, appid: DEMO_APP_ID });
    const capitals = { token: token.toUpperCase() };
    expect(await member.api.delete(iphone.path, capitals)).toMatchObject(success);
    expect(await member.api.delete(iphone.path, { token })).toMatchObject(unknownToken);
  });

  it('requires an app id', async () => {
    expect(await registerIphone({ token: iphoneToken() })).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'appid' },
    });
  });

  it.each(['', 'org carillon', 'org/carillon', 'org.carillon.dem\u00f6', '../../3/device'])(
    'is refused with the app id "%s"',
    async (appid) => {
      expect(await registerIphone({ token: iphoneToken(), appid })).toMatchObject(
        badRequest('appid has invalid format'),
      );
    },
  );
});
