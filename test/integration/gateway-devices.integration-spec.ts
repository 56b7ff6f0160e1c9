import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { badRequest, success } from '#test/answers';
import type { Reply } from '#test/http-request';
import { androidToken, DEMO_APP_ID, iphoneToken } from '#test/push-tokens';
import { startGateway } from '#test/start-gateway';
import type { System } from '#test/start-system';

let system: System;

beforeAll(async () => {
  system = await startGateway({});
});

afterAll(() => system?.stop());

const iphone = {
  path: '/users/me/apns_device_token',
  newToken: iphoneToken,
  extra: { appid: DEMO_APP_ID },
};
const android = { path: '/users/me/android_gcm_reg_id', newToken: androidToken, extra: {} };

const registerIphone = (fields: Readonly<Record<string, string>>): Promise<Reply> =>
  system.api('alice').post(iphone.path, fields);

const wrongLength = badRequest('Empty or invalid length token');
const unknownToken = badRequest('Token does not exist');

describe.each([
  ['an iPhone', iphone],
  ['an Android phone', android],
])('The registration of %s', (_phone, { path, newToken, extra }) => {
  const register = (who: string, token: string): Promise<Reply> =>
    system.api(who).post(path, { token, ...extra });
  const remove = (who: string, token: string): Promise<Reply> =>
    system.api(who).delete(path, { token });

  it.each(['POST', 'DELETE'])('requires a token: %s', async (method) => {
    const reply = await system.api('alice').send(method, path);
    expect(reply).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'token' },
    });
  });

  it.each([
    ['an empty token', ''],
    ['a token of 4097 characters', 'a'.repeat(4097)],
  ])('refuses %s', async (_what, token) => {
    expect(await register('alice', token)).toMatchObject(wrongLength);
    expect(await remove('alice', token)).toMatchObject(wrongLength);
  });

  it('accepts a token of 4096 characters', async () => {
    const token = randomBytes(2048).toString('hex');
    expect(await register('alice', token)).toMatchObject(success);
    expect(await remove('alice', token)).toMatchObject(success);
  });

  it('returns the envelope only', async () => {
    const reply = await register('alice', newToken());
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ result: 'success', msg: '' });
  });

  it('can be repeated', async () => {
    const token = newToken();
    expect(await register('alice', token)).toMatchObject(success);
    expect(await register('alice', token)).toMatchObject(success);
    expect(await remove('alice', token)).toMatchObject(success);
    expect(await remove('alice', token)).toMatchObject(unknownToken);
  });

  it('accepts concurrent repetitions', async () => {
    const token = newToken();
    const replies = await Promise.all(Array.from({ length: 10 }, () => register('bob', token)));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect(await remove('bob', token)).toMatchObject(success);
    expect(await remove('bob', token)).toMatchObject(unknownToken);
  });

  it.each(['guest', 'carol', 'alice_bot'])('is allowed for %s', async (name) => {
    const token = newToken();
    expect(await register(name, token)).toMatchObject(success);
    expect(await remove(name, token)).toMatchObject(success);
  });
});

describe('An iPhone’s token', () => {
  it.each(['xyz', 'apple-tokenaa', '[object Object]', `${'ab'.repeat(31)}a`])(
    'must be hexadecimal, unlike %s',
    async (token) => {
      expect(await registerIphone({ token, appid: DEMO_APP_ID })).toMatchObject(
        badRequest('Invalid APNS token'),
      );
      expect(await system.api('alice').delete(iphone.path, { token })).toMatchObject(
        badRequest('Invalid APNS token'),
      );
    },
  );

  it('is equal in upper case', async () => {
    const token = iphoneToken();
    await registerIphone({ token, appid: DEMO_APP_ID });
    const capitals = { token: token.toUpperCase() };
    expect(await system.api('alice').delete(iphone.path, capitals)).toMatchObject(success);
    expect(await system.api('alice').delete(iphone.path, { token })).toMatchObject(unknownToken);
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
