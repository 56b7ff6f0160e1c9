import { describe, expect, it } from '@jest/globals';
import { badRequest } from '#test/answers';
import type { Reply } from '#test/http-request';
import { DEMO_APP_ID } from '#test/push-tokens';
import { useGateway } from '#test/start-gateway';

const system = useGateway();

const presence = '/users/me/presence';
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const jsonBody = { 'content-type': 'application/json' };

const post = (query: string, headers: Readonly<Record<string, string>>, body: string) =>
  system.api('alice').send('POST', `${presence}${query}`, { headers, body });

const report = (fields: Readonly<Record<string, unknown>>): Promise<Reply> =>
  system.api('alice').post(presence, fields);

describe('Parameters', () => {
  it.each([
    ['JSON text in a JSON object', '', jsonBody, '{"status":"active","ping_only":"true"}'],
    ['form and query together', '?ping_only=true', form, 'status=active'],
  ])('are read from %s', async (_where, query, headers, body) => {
    const reply = await post(query, headers, body);
    expect(reply.status).toBe(200);
    expect(reply.body).not.toHaveProperty('presences');
  });

  it('are plain texts, not JSON, if they are strings', async () => {
    expect(await report({ status: '"active"' })).toMatchObject(
      badRequest('Invalid status: "active"'),
    );
  });
});

describe('Unknown parameters', () => {
  it('are listed in order after a success', async () => {
    const reply = await post('?zeta=1', form, 'status=active&dont_block=true&alpha=1');
    expect(reply.body).toMatchObject({
      result: 'success',
      ignored_parameters_unsupported: ['alpha', 'dont_block', 'zeta'],
    });
  });

  it('add no list if there are none', async () => {
    const reply = await report({ status: 'active', client: 'test', slim_presence: true });
    expect(reply.status).toBe(200);
    expect(reply.body).not.toHaveProperty('ignored_parameters_unsupported');
  });

  it('are not listed with an error', async () => {
    const reply = await report({ status: 'nonsense', alpha: 1 });
    expect(reply.body).not.toHaveProperty('ignored_parameters_unsupported');
  });
});

describe('A parameter', () => {
  it.each([
    ['ping_only', '1', 'ping_only is not a boolean'],
    ['ping_only', '"true"', 'ping_only is not a boolean'],
    ['ping_only', 'True', 'ping_only is not valid JSON'],
    ['ping_only', '', 'ping_only is not valid JSON'],
    ['new_user_input', 'yes', 'new_user_input is not valid JSON'],
    ['slim_presence', '[]', 'slim_presence is not a boolean'],
    ['last_update_id', 'abc', 'last_update_id is not valid JSON'],
    ['last_update_id', '"5"', 'last_update_id is not an integer'],
    ['last_update_id', '1.5', 'last_update_id is not an integer'],
    ['last_update_id', 'null', 'last_update_id is not an integer'],
    ['last_update_id', '9007199254740992', 'last_update_id is too large'],
    ['last_update_id', '-9007199254740993', 'last_update_id is too small'],
    ['history_limit_days', 'true', 'history_limit_days is not an integer'],
    ['history_limit_days', '-1', 'history_limit_days is too small'],
    ['history_limit_days', '9223372036854775807', 'history_limit_days is too large'],
  ])('is refused with an invalid value: %s=%s', async (name, value, msg) => {
    expect(await report({ status: 'active', [name]: value })).toMatchObject(badRequest(msg));
  });

  it.each([
    ['the longest history', { history_limit_days: '9007199254740991' }],
    ['the highest cursor', { last_update_id: '9007199254740991' }],
    ['the lowest cursor', { last_update_id: '-9007199254740991' }],
  ])('is accepted at the end of its range: %s', async (_what, fields) => {
    expect((await report({ status: 'active', ...fields })).status).toBe(200);
  });

  it.each([
    [presence, 'status', {}],
    ['/users/me/apns_device_token', 'token', { appid: DEMO_APP_ID }],
    ['/users/me/apns_device_token', 'appid', { token: 'ab' }],
    ['/users/me/android_gcm_reg_id', 'token', {}],
  ])('is named in the error if it is missing: %s, %s', async (path, name, fields) => {
    const reply = await system.api('alice').post(path, fields);
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({
      result: 'error',
      msg: `Missing '${name}' argument`,
      code: 'REQUEST_VARIABLE_MISSING',
      var_name: name,
    });
  });

  it('is refused with a NUL, which PostgreSQL cannot store', async () => {
    const reply = await system.api('alice').post('/users/me/android_gcm_reg_id', { token: 'a\0b' });
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ result: 'error', code: 'BAD_REQUEST' });
  });
});
