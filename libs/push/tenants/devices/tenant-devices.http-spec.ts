import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { badRequest, success } from '#test/answers';
import { EncryptedPhone } from '#test/encrypted-phone';
import { installationId } from '#test/push-tokens';
import { RemoteServer } from '#test/remote-server';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
let server: RemoteServer;
const other = useFixture(() => RemoteServer.register(system.gatewayUrl));
let user: string;
beforeEach(async () => {
  server = await RemoteServer.register(system.gatewayUrl);
  user = randomUUID();
});

const rowsOf = (one = server) =>
  system.database.database.prisma.remoteDevice.findMany({
    where: { server: { uuid: one.id } },
    include: { realm: true },
    orderBy: { id: 'asc' },
  });

const apple = (token = 'C0FFEE') => ({
  user_uuid: user,
  realm_uuid: server.realm,
  token,
  token_kind: 1,
  ios_app_id: 'org.example.App',
});
const google = (token = 'fcm:Token') => ({ user_uuid: user, token, token_kind: 2 });

const mismatch = {
  status: 403,
  body: {
    code: 'REMOTE_REALM_SERVER_MISMATCH_ERROR',
    msg: 'Your organization is registered to a different Zulip server. Please contact Zulip support for assistance in resolving this issue.',
  },
};

describe('POST /remotes/push/register', () => {
  it('stores one row of a token, as it was given', async () => {
    expect(await server.post('/push/register', apple())).toMatchObject(success);
    const [before] = await rowsOf();
    expect(
      await server.post('/push/register', { ...apple('c0ffee'), ios_app_id: 'org.new' }),
    ).toMatchObject(success);
    const rows = await rowsOf();
    expect(rows).toMatchObject([
      {
        id: before?.id,
        platform: 'apns',
        token: 'c0ffee',
        appId: 'org.new',
        userUuid: user,
        userId: null,
        realm: { uuid: server.realm },
      },
    ]);
    expect(before?.token).toBe('C0FFEE');
    expect(Number(rows[0]?.refreshedAt)).toBeGreaterThan(Number(before?.refreshedAt));
  });

  it.each([
    ['user_uuid', () => ({ user_uuid: user }), () => ({ user_uuid: randomUUID() })],
    ['user_id', () => ({ user_id: 7 }), () => ({ user_id: 8 })],
  ])('keeps one target of a phone of a %s', async (_by, own, neighbour) => {
    const fid = installationId();
    const token = `${fid}:APA91b`;
    const account = own();
    const register = (of: object, target: string) =>
      server.post('/push/register', { ...of, token: target, token_kind: 2 });
    const targets = async () => (await rowsOf()).map((row) => [row.token, row.fcmTarget]);
    const theirs = [token, 'token'];
    const another = ['other:token', 'token'];
    await register(neighbour(), token);
    await register(account, 'other:token');
    await register(account, token);
    await register(account, fid);
    expect(await targets()).toEqual([theirs, another, [fid, 'fid']]);
    await register(account, token);
    expect(await targets()).toEqual([theirs, another, [token, 'token']]);
  });

  it.each(['user_uuid', 'user_id'])('takes one id for each token of a %s', async (by) => {
    const { user_uuid: _, ...token } = google();
    const phone = { ...token, [by]: by === 'user_id' ? 7 : user };
    for (let time = 0; time < 3; time += 1) await server.post('/push/register', phone);
    await server.post('/push/register', { ...phone, token: 'fcm:Other' });
    const [first, second] = await rowsOf();
    expect(second?.id).toBe(Number(first?.id) + 1);
  });

  it('replaces the row of a number by that of a UUID', async () => {
    const { user_uuid: _, ...byNumber } = google();
    await server.post('/push/register', { ...byNumber, user_id: 7 });
    expect(await rowsOf()).toMatchObject([{ userUuid: null, userId: 7n }]);
    await server.post('/push/register', { ...google(), user_id: 7 });
    expect(await rowsOf()).toMatchObject([{ userUuid: user, userId: null, realm: null }]);
  });

  it('takes an unknown organisation, and refuses that of another server', async () => {
    const unknown = { ...google(), realm_uuid: randomUUID() };
    expect(await server.post('/push/register', unknown)).toMatchObject(success);
    expect(await rowsOf()).toMatchObject([{ realm: null }]);
    const foreign = { ...google('another'), realm_uuid: other.realm };
    expect(await server.post('/push/register', foreign)).toMatchObject(mismatch);
    expect(await rowsOf()).toHaveLength(1);
  });

  it('keeps the newest tokens of an account', async () => {
    for (let count = 0; count < 51; count += 1)
      await server.post('/push/register', google(`t${count}`));
    const rows = await rowsOf();
    expect(rows).toHaveLength(50);
    expect(rows[0]?.token).toBe('t1');
  });

  it.each([
    [{ token_kind: 3 }, 'Invalid token type'],
    [{ token: '' }, 'Empty or invalid length token'],
    [{ token: 'f'.repeat(4098) }, 'Empty or invalid length token'],
    [{ token: 'xyz' }, 'Invalid APNS token'],
    [{ ios_app_id: undefined }, 'Missing ios_app_id'],
    [{ ios_app_id: 'a b' }, 'ios_app_id has invalid format'],
    [{ user_uuid: undefined }, 'Missing user_id or user_uuid'],
    [{ user_uuid: 'nonsense' }, 'Invalid UUID'],
    [{ realm_uuid: 'nonsense' }, 'Invalid UUID'],
    [{ user_id: 'x' }, 'user_id is not valid JSON'],
    [{ user_id: '"x"' }, 'user_id is not an integer'],
    [{ token_kind: 3, token: '' }, 'Invalid token type'],
    [{ token: '', ios_app_id: undefined }, 'Empty or invalid length token'],
  ])('refuses %j', async (fields, msg) => {
    const given = Object.entries({ ...apple(), ...fields });
    const sent = Object.fromEntries(given.filter(([, value]) => value !== undefined));
    expect(await server.post('/push/register', sent)).toMatchObject(badRequest(msg));
    expect(await rowsOf()).toEqual([]);
  });

  it('names a missing parameter', async () => {
    expect(await server.post('/push/register', { token_kind: 1 })).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_VARIABLE_MISSING', msg: "Missing 'token' argument" },
    });
  });
});

describe('The phones of a server', () => {
  it('have a limit, beyond which only registered ones are registered again', async () => {
    const { prisma } = system.database.database;
    await prisma.remoteServer.update({ where: { uuid: server.id }, data: { deviceLimit: 2 } });
    const key = system.demo.push_service.public_key;
    const sealed = (phone: EncryptedPhone) => {
      const { token_kind: _, ...fields } = phone.tokenFields();
      return server.post('/push/e2ee/register', { realm_uuid: server.realm, ...fields });
    };
    const phone = EncryptedPhone.iphone(key);
    expect(await server.post('/push/register', google())).toMatchObject(success);
    expect(await sealed(phone)).toMatchObject(success);
    const refused = badRequest('Too many registered devices');
    expect(await server.post('/push/register', google('third'))).toMatchObject(refused);
    expect(await sealed(EncryptedPhone.iphone(key))).toMatchObject(refused);
    expect(await server.post('/push/register', google())).toMatchObject(success);
    expect(await sealed(phone)).toMatchObject(success);
    expect(await rowsOf()).toHaveLength(2);
    expect(await other.post('/push/register', google('third'))).toMatchObject(success);
    await prisma.remoteServer.update({ where: { uuid: server.id }, data: { deviceLimit: null } });
    expect(await server.post('/push/register', google('third'))).toMatchObject(success);
  });
});

describe('The phones of an organisation that an upload lacks', () => {
  it('get nothing, and are not reported as deleted', async () => {
    await server.post('/push/register', { ...google(), realm_uuid: server.realm });
    await server.upload({ realms: [] });
    const notification = { user_uuid: user, android_devices: ['fcm:Token', 'unknown'] };
    expect(await server.postJson('/push/notify', notification)).toMatchObject({
      ...success,
      body: { total_android_devices: 0, deleted_devices: { android_devices: ['unknown'] } },
    });
  });
});

describe('POST /remotes/push/unregister', () => {
  it('removes the token of one account of one server', async () => {
    await server.post('/push/register', apple());
    const refused = badRequest('Token does not exist');
    expect(await other.post('/push/unregister', apple())).toMatchObject(refused);
    const stranger = { ...apple(), user_uuid: randomUUID() };
    expect(await server.post('/push/unregister', stranger)).toMatchObject(refused);
    expect(await server.post('/push/unregister', apple('c0FFee'))).toMatchObject(success);
    expect(await server.post('/push/unregister', apple())).toMatchObject(refused);
  });
});

describe('POST /remotes/push/unregister/all', () => {
  it('removes the tokens of an account by either id', async () => {
    const { user_uuid: _, ...byNumber } = google('by number');
    await server.post('/push/register', { ...byNumber, user_id: 8 });
    await server.post('/push/register', apple());
    await server.post('/push/register', { ...google(), user_uuid: randomUUID() });
    const account = { user_uuid: user, user_id: 8 };
    expect(await server.post('/push/unregister/all', account)).toMatchObject(success);
    expect(await rowsOf()).toHaveLength(1);
    expect(await server.post('/push/unregister/all', account)).toMatchObject(success);
    expect(await server.post('/push/unregister/all')).toMatchObject(
      badRequest('Missing user_id or user_uuid'),
    );
  });
});

describe('POST /remotes/push/e2ee/register', () => {
  const fieldsOf = (phone: EncryptedPhone, peculiarities = {}) => {
    const { token_kind: _, ...fields } = phone.tokenFields(peculiarities);
    return { realm_uuid: server.realm, ...fields };
  };
  const iphone = () => EncryptedPhone.iphone(system.demo.push_service.public_key);
  const register = (fields: Record<string, unknown>, by = server) =>
    by.post('/push/e2ee/register', fields);

  it('stores the token for the organisation, and revives a dead one', async () => {
    const phone = iphone();
    expect(await register(fieldsOf(phone))).toMatchObject(success);
    const [row] = await rowsOf();
    expect(row).toMatchObject({
      token: phone.token,
      platform: 'apns',
      userUuid: null,
      expiredAt: null,
      realm: { uuid: server.realm },
    });
    expect(Buffer.from(row?.tokenId ?? []).toString('base64')).toBe(phone.tokenId);
    const { prisma } = system.database.database;
    await prisma.$executeRaw`UPDATE remote_devices SET expired_at = now() WHERE id = ${row?.id}`;
    expect(await register(fieldsOf(phone))).toMatchObject(success);
    expect(await rowsOf()).toMatchObject([{ id: row?.id, expiredAt: null }]);
  });

  it('takes one id for each token', async () => {
    const fields = fieldsOf(iphone());
    for (let time = 0; time < 3; time += 1) await register(fields);
    await register(fieldsOf(iphone()));
    const [first, second] = await rowsOf();
    expect(second?.id).toBe(Number(first?.id) + 1);
  });

  it('refuses organisations that are unknown, deleted, or of another server', async () => {
    const unregistered = {
      status: 403,
      body: { code: 'MISSING_REMOTE_REALM', msg: 'Organization not registered' },
    };
    const fields = fieldsOf(iphone());
    expect(await register({ ...fields, realm_uuid: randomUUID() })).toMatchObject(unregistered);
    expect(await register({ ...fields, realm_uuid: other.realm })).toMatchObject(mismatch);
    await server.upload({ realms: [] });
    expect(await register(fields)).toMatchObject(unregistered);
  });

  it('refuses another key, other tokens and old registrations', async () => {
    const phone = iphone();
    const now = Math.floor(Date.now() / 1000);
    const cases: readonly (readonly [Record<string, unknown>, string, string])[] = [
      ...['x', 'x'.repeat(20_000)].map(
        (bouncer_public_key) =>
          [
            { bouncer_public_key },
            'INVALID_BOUNCER_PUBLIC_KEY',
            'Invalid bouncer_public_key',
          ] as const,
      ),
      [
        { token_id: 'x'.repeat(20_000) },
        'INVALID_ENCRYPTED_PUSH_REGISTRATION',
        'Invalid encrypted_push_registration',
      ],
      [
        { token_id: iphone().tokenId },
        'INVALID_ENCRYPTED_PUSH_REGISTRATION',
        'Invalid encrypted_push_registration',
      ],
      [
        { encrypted_push_registration: '?' },
        'INVALID_ENCRYPTED_PUSH_REGISTRATION',
        'Invalid encrypted_push_registration',
      ],
      [fieldsOf(phone, { timestamp: now - 86_410 }), 'REQUEST_EXPIRED', 'Request expired'],
      [fieldsOf(phone, { timestamp: now + 86_410 }), 'REQUEST_EXPIRED', 'Request expired'],
    ];
    for (const [fields, code, msg] of cases) {
      expect(await register({ ...fieldsOf(phone), ...fields })).toMatchObject({
        status: 400,
        body: { code, msg },
      });
    }
    expect(await rowsOf()).toEqual([]);
  });
});
