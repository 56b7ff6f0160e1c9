import { beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest } from '#test/answers';
import { countStatements } from '#test/count-statements';
import { addOrganisation } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();

const idOf = (name: string): number => system.user(name).user_id;
const noSuchUser = badRequest('No such user');

const alice = () => ({
  user_id: idOf('alice'),
  email: 'alice@demo.carillon.test',
  delivery_email: 'alice@demo.carillon.test',
  full_name: 'Alice Hart',
  role: 400,
  is_admin: false,
  is_owner: false,
  is_guest: false,
  is_active: true,
  is_bot: false,
  timezone: '',
  date_joined: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d\+00:00$/),
  avatar_version: 1,
  avatar_url: null,
  is_imported_stub: false,
});

describe.each(['/users', '/users/me', '/users/1', '/users/alice@demo.carillon.test'])(
  'GET %s',
  (path) => {
    it('lists unsupported parameters', async () => {
      const { body } = await system.api('alice').get(path, { include_deactivated: true });
      expect(body).toMatchObject({ ignored_parameters_unsupported: ['include_deactivated'] });
    });
  },
);

describe('GET /users/me', () => {
  it('returns the whole account and the newest message', async () => {
    const { status, body } = await system.api('alice').get('/users/me');
    expect(status).toBe(200);
    expect(body).toEqual({
      ...alice(),
      result: 'success',
      msg: '',
      avatar_url: `/avatar/${alice().user_id}?version=1`,
      max_message_id: Math.max(...Object.values(system.demo.messages)),
      profile_data: {},
    });
  });

  it('returns a bot without profile data', async () => {
    const { body } = await system.api('alice_bot').get('/users/me');
    expect(body).toMatchObject({ is_bot: true, bot_type: 1, bot_owner_id: idOf('alice') });
    expect(body).not.toHaveProperty('profile_data');
  });

  it('returns -1 without messages', async () => {
    const person = await (await addOrganisation(system)).addPerson();
    expect((await person.api.get('/users/me')).body).toMatchObject({ max_message_id: -1 });
  });
});

describe('GET /users', () => {
  /** The listed accounts of an answer. */
  const members = (body: Readonly<Record<string, unknown>>) =>
    body['members'] as Readonly<Record<string, unknown>>[];

  it('lists all accounts in the order of their ids, including bots and deactivated ones', async () => {
    const { status, body } = await system.api('bob').get('/users');
    expect(status).toBe(200);
    expect(members(body).map(({ user_id }) => user_id)).toEqual(
      Object.values(system.demo.users)
        .map(({ user_id }) => user_id)
        .toSorted((one, other) => one - other),
    );
    expect(members(body)).toContainEqual(alice());
    expect(members(body)).toContainEqual(
      expect.objectContaining({ user_id: idOf('dora'), is_active: false }),
    );
    expect(members(body)).toContainEqual(
      expect.objectContaining({
        user_id: idOf('alice_bot'),
        is_bot: true,
        bot_type: 1,
        bot_owner_id: idOf('alice'),
      }),
    );
  });

  it('lists only the existing requested accounts', async () => {
    const user_ids = [idOf('bob'), idOf('alice'), idOf('bob'), 999_999, 0, -1];
    const { body } = await system.api('bob').get('/users', { user_ids });
    expect(members(body).map(({ user_id }) => user_id)).toEqual([idOf('alice'), idOf('bob')]);
    expect(members((await system.api('bob').get('/users', { user_ids: [] })).body)).toEqual([]);
  });

  it('does not list accounts of another organisation', async () => {
    const organisation = await addOrganisation(system);
    const [person, other] = [await organisation.addPerson(), await organisation.addPerson()];
    const { body } = await person.api.get('/users', { user_ids: [idOf('alice'), other.id] });
    expect(members(body).map(({ user_id }) => user_id)).toEqual([other.id]);
    expect(members((await person.api.get('/users')).body)).toHaveLength(2);
  });

  it('returns avatar URLs and profile data if requested', async () => {
    const { body } = await system
      .api('bob')
      .get('/users', { client_gravatar: false, include_custom_profile_fields: true });
    for (const member of members(body)) {
      expect(member['avatar_url']).toBe(`/avatar/${String(member['user_id'])}?version=1`);
      expect('profile_data' in member).toBe(member['is_bot'] === false);
    }
  });

  it.each([
    [{ user_ids: 'x' }, 'user_ids is not valid JSON'],
    [{ user_ids: 5 }, 'user_ids is not a list'],
    [{ user_ids: ['5'] }, 'user_ids[0] is not an integer'],
    [{ user_ids: [2 ** 31] }, 'user_ids[0] is too large'],
    [{ user_ids: Array.from({ length: 1001 }, () => 1) }, 'user_ids is too large'],
    [{ client_gravatar: 1 }, 'client_gravatar is not a boolean'],
    [{ include_custom_profile_fields: 'yes' }, 'include_custom_profile_fields is not valid JSON'],
  ])('refuses %j', async (query, msg) => {
    expect(await system.api('bob').get('/users', query)).toMatchObject(badRequest(msg));
  });

  it('accepts the maximum number of ids', async () => {
    const user_ids = Array.from({ length: 1000 }, () => idOf('alice'));
    expect(members((await system.api('bob').get('/users', { user_ids })).body)).toHaveLength(1);
  });

  it('needs the same number of statements for many accounts', async () => {
    const organisation = await addOrganisation(system);
    const [person] = await organisation.addPeople(2);
    if (person === undefined) throw new Error('Nobody was added');
    const list = () => person.api.get('/users', { include_custom_profile_fields: true });
    await list();
    const forFew = await countStatements(list);
    await organisation.addPeople(20);
    expect(await countStatements(list)).toBe(forFew);
  });
});

describe('GET /users/{user_id}', () => {
  const get = (who: string, key: string | number, query = {}) =>
    system.api(who).get(`/users/${encodeURIComponent(key)}`, query);

  it.each(['admin', 'bob', 'guest', 'alice_bot'])(
    'answers %s with the account of an id',
    async (who) => {
      const { status, body } = await get(who, idOf('alice'));
      expect(status).toBe(200);
      expect(body).toEqual({ result: 'success', msg: '', user: alice() });
    },
  );

  it.each(['alice@demo.carillon.test', 'ALICE@Demo.Carillon.Test'])(
    'finds the address %s',
    async (email) => {
      expect((await get('bob', email)).body).toEqual({ result: 'success', msg: '', user: alice() });
    },
  );

  it('returns bots and deactivated accounts', async () => {
    expect((await get('bob', idOf('dora'))).body).toMatchObject({ user: { is_active: false } });
    expect((await get('bob', system.user('alice_bot').email)).body).toMatchObject({
      user: { is_bot: true },
    });
  });

  it('accepts the options', async () => {
    const query = { client_gravatar: false, include_custom_profile_fields: true };
    expect((await get('bob', idOf('alice'), query)).body).toMatchObject({
      user: { avatar_url: `/avatar/${idOf('alice')}?version=1`, profile_data: {} },
    });
    expect(await get('bob', idOf('alice'), { client_gravatar: 'x' })).toMatchObject({
      status: 400,
      body: { msg: 'client_gravatar is not valid JSON' },
    });
  });

  it.each([
    '0',
    '999999',
    '2147483648',
    '9'.repeat(90),
    'x',
    '-1',
    '%',
    '_@demo.carillon.test',
    '%@demo.carillon.test',
  ])('knows nobody called %s', async (key) => {
    expect(await get('bob', key)).toMatchObject(noSuchUser);
  });

  it('does not find accounts of another organisation', async () => {
    const person = await (await addOrganisation(system)).addPerson();
    expect(await get('bob', person.id)).toMatchObject(noSuchUser);
    expect(await get('bob', person.email)).toMatchObject(noSuchUser);
  });
});

describe('an account with another visible address', () => {
  const organisation = useFixture(() => addOrganisation(system));
  const hidden = useFixture(() => organisation.addPerson());
  const visible = 'user1@chat.test';
  const keyOf = (email: string) => `/users/${encodeURIComponent(email)}`;

  beforeAll(async () => {
    await system.database.database.prisma.user.update({
      where: { id: hidden.id },
      data: { email: visible },
    });
  });

  it.each([
    [roles.member, null],
    [roles.administrator, 'the address'],
  ])('is returned to the role %i with the delivery email: %s', async (role, shownEmail) => {
    const { api } = await organisation.addPerson({ role });
    const user = {
      user_id: hidden.id,
      email: visible,
      delivery_email: shownEmail === null ? null : hidden.email,
    };
    expect((await api.get(keyOf(visible.toUpperCase()))).body).toMatchObject({ user });
    const byDelivery = await api.get(keyOf(hidden.email));
    expect(byDelivery).toMatchObject(shownEmail === null ? noSuchUser : { body: { user } });
  });

  it('finds itself by both addresses', async () => {
    expect((await hidden.api.get(keyOf(hidden.email))).body).toMatchObject({
      user: { delivery_email: hidden.email },
    });
    expect((await hidden.api.get(keyOf(visible))).body).toMatchObject({
      user: { delivery_email: hidden.email },
    });
  });
});

describe('a guest with limited access', () => {
  it('sees only accounts that share a channel or a conversation', async () => {
    const { prisma } = system.database.database;
    const organisation = await addOrganisation(system);
    const [guest, friend, stranger] = [
      await organisation.addPerson({ role: roles.guest }),
      await organisation.addPerson(),
      await organisation.addPerson(),
    ];
    const nobody = await prisma.userGroup.findFirstOrThrow({
      where: { realmId: organisation.id, name: 'role:nobody' },
    });
    await prisma.realm.update({
      where: { id: organisation.id },
      data: { canAccessAllUsersGroupId: nobody.id },
    });
    await prisma.channel.create({
      data: {
        realmId: organisation.id,
        name: 'shared',
        subscriptions: { create: [guest, friend].map(({ id }) => ({ userId: id })) },
      },
    });
    const idsFor = async (query = {}) =>
      ((await guest.api.get('/users', query)).body['members'] as { user_id: number }[]).map(
        ({ user_id }) => user_id,
      );
    expect(await idsFor()).toEqual([guest.id, friend.id]);
    expect(await idsFor({ user_ids: [friend.id, stranger.id] })).toEqual([friend.id]);
    expect(await guest.api.get(`/users/${friend.id}`)).toMatchObject({ status: 200 });
    expect(await guest.api.get(`/users/${stranger.id}`)).toMatchObject(noSuchUser);
    expect(await guest.api.get(`/users/${stranger.email}`)).toMatchObject(noSuchUser);
  });
});
