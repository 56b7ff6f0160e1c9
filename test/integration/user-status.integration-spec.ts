import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { roles } from '#contracts';
import { badRequest, success } from '../support/answers.js';
import { addOrganisation, type Organisation, type Person } from '../support/organisation.js';
import { startGateway } from '../support/start-gateway.js';
import type { System } from '../support/start-system.js';

jest.setTimeout(60_000);

let system: System;
let organisation: Organisation;
let me: Person;

beforeAll(async () => {
  system = await startGateway({});
  organisation = await addOrganisation(system);
});

afterAll(() => system?.stop());

beforeEach(async () => {
  me = await organisation.addPerson();
});

const path = '/users/me/status';

async function statusOf(person: Person): Promise<unknown> {
  const reply = await person.api.get(`/users/${person.id}/status`);
  expect(reply).toMatchObject(success);
  return reply.body['status'];
}

const car = { emoji_name: 'car', emoji_code: '1f697', reaction_type: 'unicode_emoji' };

describe('POST /users/me/status', () => {
  it('sets the whole status, and answers with the envelope alone', async () => {
    const reply = await me.api.post(path, { status_text: 'on vacation', ...car });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ result: 'success', msg: '' });
    expect(await statusOf(me)).toEqual({ status_text: 'on vacation', ...car });
  });

  it.each(['guest', 'carol', 'alice_bot', 'owner'])('is open to %s', async (name) => {
    expect(await system.api(name).post(path, { status_text: 'here' })).toMatchObject(success);
    const { user_id } = system.user(name);
    const reply = await system.api(name).get(`/users/${user_id}/status`);
    expect(reply.body['status']).toMatchObject({ status_text: 'here' });
  });

  it('changes only what is sent', async () => {
    await me.api.post(path, { status_text: 'driving', ...car });
    await me.api.post(path, { status_text: 'parking' });
    expect(await statusOf(me)).toEqual({ status_text: 'parking', ...car });
    await me.api.post(path, { emoji_name: 'bus' });
    expect(await statusOf(me)).toMatchObject({ status_text: 'parking', emoji_code: '1f68c' });
  });

  it('clears each half with the empty text', async () => {
    await me.api.post(path, { status_text: 'driving', ...car });
    await me.api.post(path, { status_text: '' });
    expect(await statusOf(me)).toEqual(car);
    await me.api.post(path, { status_text: 'walking', emoji_name: '' });
    expect(await statusOf(me)).toEqual({ status_text: 'walking' });
    await me.api.post(path, { status_text: '  ' });
    expect(await statusOf(me)).toEqual({});
  });

  it.each([
    { emoji_code: '', reaction_type: '' },
    { emoji_code: '1f68c', reaction_type: 'unicode_emoji' },
    { emoji_code: 'nonsense', reaction_type: 'nonsense' },
  ])('clears the emoji whatever comes with its empty name: %j', async (rest) => {
    await me.api.post(path, car);
    expect(await me.api.post(path, { emoji_name: '', ...rest })).toMatchObject(success);
    expect(await statusOf(me)).toEqual({});
  });

  it('clears what was never set', async () => {
    const nothing = { status_text: '', emoji_name: '', emoji_code: '', reaction_type: '' };
    expect(await me.api.post(path, nothing)).toMatchObject(success);
    expect(await statusOf(me)).toEqual({});
  });

  it.each([
    ['60 letters', 'a'.repeat(60)],
    ['60 emoji', '🚗'.repeat(60)],
    ['60 letters between spaces', `  ${'a'.repeat(60)}\n`],
  ])('takes %s', async (_what, text) => {
    expect(await me.api.post(path, { status_text: text })).toMatchObject(success);
    expect(await statusOf(me)).toEqual({ status_text: text.trim() });
  });

  it.each([
    ['61 letters', 'a'.repeat(61)],
    ['61 emoji', '🚗'.repeat(61)],
    ['a very long text', 'a'.repeat(100_000)],
  ])('refuses %s', async (_what, text) => {
    expect(await me.api.post(path, { status_text: text })).toMatchObject(
      badRequest('status_text is too long (limit: 60 characters)'),
    );
  });

  it.each([{}, { stranger: 'x' }])('asks for something to change: %j', async (fields) => {
    expect(await me.api.post(path, fields)).toMatchObject(
      badRequest('Client did not pass any new values.'),
    );
  });

  it.each([
    { emoji_code: '1f697' },
    { reaction_type: 'unicode_emoji' },
    { status_text: 'x', emoji_code: '1f697' },
  ])('asks for the name of an emoji: %j', async (fields) => {
    expect(await me.api.post(path, fields)).toMatchObject(
      badRequest('Client must pass emoji_name if they pass either emoji_code or reaction_type.'),
    );
    expect(await statusOf(me)).toEqual({});
  });

  it('refuses a NUL, and stores half a character as none', async () => {
    expect(await me.api.post(path, { status_text: 'a\0b' })).toMatchObject(
      badRequest('status_text has invalid format'),
    );
    const headers = { 'content-type': 'application/json' };
    const body = '{"status_text":"half \\ud83d","emoji_name":""}';
    expect(await me.api.send('POST', path, { headers, body })).toMatchObject(success);
    expect(await statusOf(me)).toEqual({ status_text: 'half \ufffd' });
  });

  it('tells the parameters that it does not know', async () => {
    const reply = await me.api.post(path, { status_text: 'x', colour: 'red', user_id: 1 });
    expect(reply.body).toEqual({
      result: 'success',
      msg: '',
      ignored_parameters_unsupported: ['colour', 'user_id'],
    });
  });

  it('loses neither half when both change at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const somebody = await organisation.addPerson();
      const replies = await Promise.all([
        somebody.api.post(path, { status_text: 'both' }),
        somebody.api.post(path, { emoji_name: 'car' }),
      ]);
      expect(replies).toMatchObject([success, success]);
      expect(await statusOf(somebody)).toEqual({ status_text: 'both', ...car });
    }
  });
});

describe('away', () => {
  it('makes invisible and visible again', async () => {
    expect(await me.api.post(path, { away: true })).toMatchObject(success);
    expect(await statusOf(me)).toEqual({ away: true });
    expect(await me.api.post(path, { away: false, status_text: 'back' })).toMatchObject(success);
    expect(await statusOf(me)).toEqual({ status_text: 'back' });
  });

  it('is seen by others', async () => {
    const other = await organisation.addPerson();
    await me.api.post(path, { away: true });
    const reply = await other.api.get(`/users/${me.id}/status`);
    expect(reply.body).toEqual({ result: 'success', msg: '', status: { away: true } });
  });

  it('may be repeated', async () => {
    await me.api.post(path, { away: true });
    expect(await me.api.post(path, { away: true })).toMatchObject(success);
    expect(await statusOf(me)).toEqual({ away: true });
  });

  it('changes nothing with a status that is refused', async () => {
    const fields = { away: true, status_text: 'x', emoji_name: 'no_such_emoji' };
    expect(await me.api.post(path, fields)).toMatchObject({ status: 400 });
    expect(await statusOf(me)).toEqual({});
  });

  it.each([['1'], ['"true"'], ['null']])('refuses %s', async (away) => {
    expect(await me.api.post(path, { away, status_text: 'x' })).toMatchObject(
      badRequest('away is not a boolean'),
    );
  });

  it('refuses what is no JSON', async () => {
    expect(await me.api.post(path, { away: 'yes' })).toMatchObject(
      badRequest('away is not valid JSON'),
    );
  });
});

describe('GET /users/{user_id}/status', () => {
  const noSuchUser = badRequest('No such user');

  it('answers an empty status for who has none', async () => {
    const reply = await me.api.get(`/users/${me.id}/status`);
    expect(reply.body).toEqual({ result: 'success', msg: '', status: {} });
  });

  it('shows the status of somebody deactivated', async () => {
    const { user_id } = system.user('dora');
    expect(await system.api('alice').get(`/users/${user_id}/status`)).toMatchObject(success);
  });

  it.each([0, 2_147_483_647])('knows no user %s', async (id) => {
    expect(await me.api.get(`/users/${id}/status`)).toMatchObject(noSuchUser);
  });

  it('refuses a number that is no row’s', async () => {
    expect(await me.api.get('/users/99999999999999999999/status')).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST' },
    });
    expect(await me.api.get('/users/abc/status')).toMatchObject({ status: 404 });
  });

  it('shows nobody of another organisation', async () => {
    const { user_id } = system.user('alice');
    expect(await me.api.get(`/users/${user_id}/status`)).toMatchObject(noSuchUser);
  });

  it('shows a guest only whom they may see, where that is limited', async () => {
    const closed = await addOrganisation(system);
    const stranger = await closed.addPerson();
    const guest = await closed.addPerson({ role: roles.guest });
    const { prisma } = system.database.database;
    const members = await prisma.userGroup.findFirstOrThrow({
      where: { realmId: closed.id, name: 'role:members' },
    });
    expect(await guest.api.get(`/users/${stranger.id}/status`)).toMatchObject(success);
    await prisma.realm.update({
      where: { id: closed.id },
      data: { canAccessAllUsersGroupId: members.id },
    });
    expect(await guest.api.get(`/users/${stranger.id}/status`)).toMatchObject(noSuchUser);
    expect(await guest.api.get(`/users/${guest.id}/status`)).toMatchObject(success);
    expect(await stranger.api.get(`/users/${guest.id}/status`)).toMatchObject(success);
  });
});
