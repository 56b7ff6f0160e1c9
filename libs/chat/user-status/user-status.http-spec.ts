import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, success } from '#test/answers';
import { addOrganisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const organisation = useFixture(() => addOrganisation(system));
let me: Person;

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
  it('sets the whole status and answers with an empty envelope', async () => {
    const reply = await me.api.post(path, { status_text: 'on vacation', ...car });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ result: 'success', msg: '' });
    expect(await statusOf(me)).toEqual({ status_text: 'on vacation', ...car });
  });

  it.each([
    ['a guest', { role: roles.guest }],
    ['a bot', { isBot: true }],
    ['an owner', { role: roles.owner }],
  ])('accepts %s', async (_caller, traits) => {
    const person = await organisation.addPerson(traits);
    expect(await person.api.post(path, { status_text: 'here' })).toMatchObject(success);
    expect(await statusOf(person)).toEqual({ status_text: 'here' });
  });

  it('changes only the given parts', async () => {
    await me.api.post(path, { status_text: 'driving', ...car });
    await me.api.post(path, { status_text: 'parking' });
    expect(await statusOf(me)).toEqual({ status_text: 'parking', ...car });
    await me.api.post(path, { emoji_name: 'bus' });
    expect(await statusOf(me)).toMatchObject({ status_text: 'parking', emoji_code: '1f68c' });
  });

  it('removes a part for an empty text', async () => {
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
  ])('removes the emoji for an empty name, regardless of code and type: %j', async (rest) => {
    await me.api.post(path, car);
    expect(await me.api.post(path, { emoji_name: '', ...rest })).toMatchObject(success);
    expect(await statusOf(me)).toEqual({});
  });

  it('accepts the removal of parts that are not set', async () => {
    const nothing = { status_text: '', emoji_name: '', emoji_code: '', reaction_type: '' };
    expect(await me.api.post(path, nothing)).toMatchObject(success);
    expect(await statusOf(me)).toEqual({});
  });

  it.each([
    ['60 letters', 'a'.repeat(60)],
    ['60 emoji', '🚗'.repeat(60)],
    ['60 letters between spaces', `  ${'a'.repeat(60)}\n`],
  ])('accepts %s', async (_case, text) => {
    expect(await me.api.post(path, { status_text: text })).toMatchObject(success);
    expect(await statusOf(me)).toEqual({ status_text: text.trim() });
  });

  it.each([
    ['61 letters', 'a'.repeat(61)],
    ['61 emoji', '🚗'.repeat(61)],
    ['a very long text', 'a'.repeat(100_000)],
  ])('rejects %s', async (_case, text) => {
    expect(await me.api.post(path, { status_text: text })).toMatchObject(
      badRequest('status_text is too long (limit: 60 characters)'),
    );
  });

  it.each([{}, { stranger: 'x' }])('requires a change: %j', async (fields) => {
    expect(await me.api.post(path, fields)).toMatchObject(
      badRequest('Client did not pass any new values.'),
    );
  });

  it.each([
    { emoji_code: '1f697' },
    { reaction_type: 'unicode_emoji' },
    { status_text: 'x', emoji_code: '1f697' },
  ])('requires the name of an emoji: %j', async (fields) => {
    expect(await me.api.post(path, fields)).toMatchObject(
      badRequest('Client must pass emoji_name if they pass either emoji_code or reaction_type.'),
    );
    expect(await statusOf(me)).toEqual({});
  });

  it('rejects NUL and replaces an unpaired surrogate', async () => {
    expect(await me.api.post(path, { status_text: 'a\0b' })).toMatchObject(
      badRequest('status_text has invalid format'),
    );
    const headers = { 'content-type': 'application/json' };
    const body = '{"status_text":"half \\ud83d","emoji_name":""}';
    expect(await me.api.send('POST', path, { headers, body })).toMatchObject(success);
    expect(await statusOf(me)).toEqual({ status_text: 'half \ufffd' });
  });

  it('lists unsupported parameters', async () => {
    const reply = await me.api.post(path, { status_text: 'x', colour: 'red', user_id: 1 });
    expect(reply.body).toEqual({
      result: 'success',
      msg: '',
      ignored_parameters_unsupported: ['colour', 'user_id'],
    });
  });

  it('keeps concurrent changes of text and emoji', async () => {
    for (let round = 0; round < 10; round += 1) {
      const person = await organisation.addPerson();
      const replies = await Promise.all([
        person.api.post(path, { status_text: 'both' }),
        person.api.post(path, { emoji_name: 'car' }),
      ]);
      expect(replies).toMatchObject([success, success]);
      expect(await statusOf(person)).toEqual({ status_text: 'both', ...car });
    }
  });
});

describe('away', () => {
  it('stops and resumes the sharing of presence', async () => {
    expect(await me.api.post(path, { away: true })).toMatchObject(success);
    expect(await statusOf(me)).toEqual({ away: true });
    expect(await me.api.post(path, { away: false, status_text: 'back' })).toMatchObject(success);
    expect(await statusOf(me)).toEqual({ status_text: 'back' });
  });

  it('is visible to other users', async () => {
    const other = await organisation.addPerson();
    await me.api.post(path, { away: true });
    const reply = await other.api.get(`/users/${me.id}/status`);
    expect(reply.body).toEqual({ result: 'success', msg: '', status: { away: true } });
  });

  it('accepts the current value', async () => {
    await me.api.post(path, { away: true });
    expect(await me.api.post(path, { away: true })).toMatchObject(success);
    expect(await statusOf(me)).toEqual({ away: true });
  });

  it('changes nothing when the request is rejected', async () => {
    const fields = { away: true, status_text: 'x', emoji_name: 'no_such_emoji' };
    expect(await me.api.post(path, fields)).toMatchObject({ status: 400 });
    expect(await statusOf(me)).toEqual({});
  });

  it.each([['1'], ['"true"'], ['null']])('rejects %s', async (away) => {
    expect(await me.api.post(path, { away, status_text: 'x' })).toMatchObject(
      badRequest('away is not a boolean'),
    );
  });

  it('rejects invalid JSON', async () => {
    expect(await me.api.post(path, { away: 'yes' })).toMatchObject(
      badRequest('away is not valid JSON'),
    );
  });
});

describe('GET /users/{user_id}/status', () => {
  const noSuchUser = badRequest('No such user');

  it('returns an empty status for a user without one', async () => {
    const reply = await me.api.get(`/users/${me.id}/status`);
    expect(reply.body).toEqual({ result: 'success', msg: '', status: {} });
  });

  it('returns the status of a deactivated account', async () => {
    const { user_id } = system.user('dora');
    expect(await system.api('alice').get(`/users/${user_id}/status`)).toMatchObject(success);
  });

  it.each([0, 2_147_483_647])('does not find the unknown user %s', async (id) => {
    expect(await me.api.get(`/users/${id}/status`)).toMatchObject(noSuchUser);
  });

  it('rejects invalid ids', async () => {
    expect(await me.api.get('/users/99999999999999999999/status')).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST' },
    });
    expect(await me.api.get('/users/abc/status')).toMatchObject({ status: 404 });
  });

  it('does not find accounts of another organisation', async () => {
    const { user_id } = system.user('alice');
    expect(await me.api.get(`/users/${user_id}/status`)).toMatchObject(noSuchUser);
  });

  it('shows a guest with limited access only visible accounts', async () => {
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
