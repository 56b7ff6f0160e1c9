import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, success } from '#test/answers';
import { EncryptedPhone } from '#test/encrypted-phone';
import { EventClient } from '#test/event-client';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { androidToken } from '#test/push-tokens';
import { startGateway, useGateway } from '#test/start-gateway';

const system = useGateway();
let organisation: Organisation;
let person: Person;
let phone: EncryptedPhone;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  person = await organisation.addPerson();
  phone = EncryptedPhone.android(system.demo.push_service.public_key);
});

const add = async (by = person): Promise<number> =>
  Number((await by.api.post('/register_client_device')).body['device_id']);
const remove = (deviceId: unknown, by = person) =>
  by.api.post('/remove_client_device', { device_id: deviceId });
const devicesOf = async ({ api }: Person) =>
  (await EventClient.register(api, { fetch_event_types: ['device'] })).state['devices'];

/** The same person, with a new API key. */
async function withNewKey(): Promise<Person> {
  const { body } = await person.api.post('/users/me/api_key/regenerate');
  return { ...person, api: system.api({ ...person, api_key: String(body['api_key']) }) };
}

const prisma = () => system.database.database.prisma;

const unregistered = {
  push_key_id: null,
  push_token_id: null,
  pending_push_token_id: null,
  push_token_last_updated_timestamp: null,
  push_registration_error_code: null,
};

describe('POST /register_client_device', () => {
  it('adds another device each time, and sends events only to the clients of the account', async () => {
    const other = await organisation.addPerson();
    const own = await EventClient.register(person.api, { event_types: ['device'] });
    const others = await EventClient.register(other.api, { event_types: ['device'] });
    expect(own.state['devices']).toEqual({});
    const [one, two] = [await add(), await add()];
    expect(await own.drain()).toMatchObject([
      { type: 'device', op: 'add', device_id: one },
      { type: 'device', op: 'add', device_id: two },
    ]);
    expect(await others.drain()).toEqual([]);
    expect(await devicesOf(person)).toEqual({ [one]: unregistered, [two]: unregistered });
  });

  it.each([
    ['a guest', { role: roles.guest }],
    ['a bot', { isBot: true }],
  ])('serves %s, and registers its phone', async (_, traits) => {
    const other = await organisation.addPerson(traits);
    await phone.register(other.api);
    expect(await devicesOf(other)).toMatchObject({
      [phone.deviceId]: { push_key_id: phone.keyId, pending_push_token_id: phone.tokenId },
    });
  });

  it('replaces the oldest device without a token beyond the limit', async () => {
    const first = await add();
    phone.deviceId = first;
    await phone.send(person.api, { ...phone.keyFields, ...phone.tokenFields() });
    const second = await add();
    const data = { realmId: organisation.id, userId: person.id, keyGeneration: 1 };
    await addRows(254, data);
    const client = await EventClient.register(person.api, { event_types: ['device'] });
    const newest = await add();
    expect(await client.drain()).toMatchObject([
      { op: 'remove', device_id: second },
      { op: 'add', device_id: newest },
    ]);
    await prisma().clientDevice.updateMany({
      where: { userId: person.id },
      data: { pushTokenId: new Uint8Array(8) },
    });
    expect(await person.api.post('/register_client_device')).toMatchObject(
      badRequest('Too many registered devices'),
    );
    expect(await prisma().clientDevice.count({ where: { userId: person.id } })).toBe(256);
  });

  it('removes a device of an older API key for a new one, before a worker does', async () => {
    await addRows(256, { realmId: organisation.id, userId: person.id, keyGeneration: 1 });
    await prisma().clientDevice.updateMany({
      where: { userId: person.id },
      data: { pushTokenId: new Uint8Array(8) },
    });
    const renewed = await withNewKey();
    const added = [await add(renewed), await add(renewed)];
    expect(Object.keys(Object(await devicesOf(renewed)))).toEqual(added.map(String));
    expect(await prisma().clientDevice.count({ where: { userId: person.id } })).toBe(256);
  });

  it('keeps the limit with concurrent requests', async () => {
    await addRows(254, { realmId: organisation.id, userId: person.id, keyGeneration: 1 });
    await Promise.all(Array.from({ length: 6 }, () => add()));
    expect(await prisma().clientDevice.count({ where: { userId: person.id } })).toBe(256);
  });
});

const addRows = async (
  count: number,
  data: { realmId: number; userId: number; keyGeneration: number },
) => {
  const { keyGeneration } = await prisma().user.findUniqueOrThrow({ where: { id: data.userId } });
  await prisma().clientDevice.createMany({
    data: Array.from({ length: count }, () => ({ ...data, keyGeneration })),
  });
};

describe('POST /remove_client_device', () => {
  it('removes a device with its registration, once', async () => {
    await phone.register(person.api);
    const client = await EventClient.register(person.api, { event_types: ['device'] });
    expect(await remove(phone.deviceId)).toMatchObject(success);
    expect(await client.drain()).toMatchObject([{ op: 'remove', device_id: phone.deviceId }]);
    expect(await devicesOf(person)).toEqual({});
    expect(await remove(phone.deviceId)).toMatchObject(badRequest('Invalid `device_id`'));
    const requests = { where: { deviceId: phone.deviceId } };
    expect(await prisma().pushTokenRequest.findFirst(requests)).toBeNull();
  });

  it('refuses the device of another account, and what is no id', async () => {
    const deviceId = await add();
    const other = await organisation.addPerson();
    expect(await remove(deviceId, other)).toMatchObject(badRequest('Invalid `device_id`'));
    expect(await remove(2 ** 40)).toMatchObject(badRequest('Invalid `device_id`'));
    expect(await remove('x')).toMatchObject({ status: 400 });
    expect(await devicesOf(person)).toEqual({ [deviceId]: unregistered });
  });

  it('refuses the device of an older API key', async () => {
    const deviceId = await add();
    expect(await remove(deviceId, await withNewKey())).toMatchObject(
      badRequest('Invalid `device_id`'),
    );
  });
});

describe('POST /mobile_push/register', () => {
  beforeEach(async () => {
    phone.deviceId = await add();
  });

  const send = (fields: Readonly<Record<string, unknown>>) => phone.send(person.api, fields);

  it('stores a key and a token, sends one event, and repeats neither', async () => {
    const client = await EventClient.register(person.api, { event_types: ['device'] });
    const fields = { ...phone.keyFields, ...phone.tokenFields() };
    expect(await send(fields)).toMatchObject(success);
    const [event, ...further] = await client.drain();
    expect(further).toEqual([]);
    const registered = {
      push_key_id: phone.keyId,
      pending_push_token_id: phone.tokenId,
      push_token_last_updated_timestamp: expect.any(Number),
      push_registration_error_code: null,
    };
    expect(event).toEqual({
      id: expect.any(Number),
      type: 'device',
      op: 'update',
      device_id: phone.deviceId,
      ...registered,
    });
    expect(await devicesOf(person)).toEqual({
      [phone.deviceId]: { ...unregistered, ...registered },
    });
    expect(await send(phone.keyFields)).toMatchObject(success);
    expect(await client.drain()).toEqual([]);
    expect(await send(phone.tokenFields())).toMatchObject(
      badRequest('A registration for the device already in progress.'),
    );
  });

  it('replaces the key alone at once', async () => {
    await send({ ...phone.keyFields, ...phone.tokenFields() });
    const client = await EventClient.register(person.api, { event_types: ['device'] });
    const other = EncryptedPhone.android(system.demo.push_service.public_key);
    // The token group is not complete, so it does not count.
    const fields = { ...other.keyFields, token_id: 'x', token_kind: 'apns' };
    expect(await send(fields)).toMatchObject(success);
    const [event] = await client.drain();
    expect(event).toEqual({
      id: expect.any(Number),
      type: 'device',
      op: 'update',
      device_id: phone.deviceId,
      push_key_id: other.keyId,
    });
  });

  it('stores neither the push key nor the registration in plain text', async () => {
    await send({ ...phone.keyFields, ...phone.tokenFields() });
    const device = await prisma().clientDevice.findUniqueOrThrow({ where: { id: phone.deviceId } });
    const request = await prisma().pushTokenRequest.findUniqueOrThrow({
      where: { deviceId: phone.deviceId },
    });
    const stored = Buffer.concat([
      Buffer.from(device.pushKeySealed ?? []),
      Buffer.from(request.sealed),
    ]);
    expect(stored.length).toBeGreaterThan(100);
    expect(stored.includes(phone.pushKey.subarray(1))).toBe(false);
    expect(stored.includes(phone.pushKey.toString('base64'))).toBe(false);
    expect(stored.includes(phone.token)).toBe(false);
  });

  it.each([
    ["Missing 'device_id' argument", { device_id: undefined }],
    ['device_id is not an integer', { device_id: '"x"' }],
    ['Invalid `device_id`', { device_id: 2 ** 40 }],
    ['push_key_id is not an integer', { push_key_id: '"x"' }],
    ['Invalid push_key_id: Value error, Not a valid unsigned 32-bit integer', { push_key_id: -1 }],
    [
      'Invalid push_key_id: Value error, Not a valid unsigned 32-bit integer',
      { push_key_id: 2 ** 32 },
    ],
    ['Invalid token_kind: Value error, Not in the list of possible values', { token_kind: 'wns' }],
    ['Invalid `push_key`', { push_key: 'MQ==' }],
    [
      'bouncer_public_key is too long (limit: 64 characters)',
      { bouncer_public_key: 'A'.repeat(65) },
    ],
    [
      'encrypted_push_registration is too long (limit: 16384 characters)',
      { encrypted_push_registration: 'A'.repeat(16_385) },
    ],
  ])('refuses with "%s"', async (msg, fields) => {
    const reply = await send({ ...phone.keyFields, ...phone.tokenFields(), ...fields });
    const code = msg.startsWith("Missing '") ? 'REQUEST_VARIABLE_MISSING' : 'BAD_REQUEST';
    expect(reply).toMatchObject({ status: 400, body: { code, msg } });
    expect(await devicesOf(person)).toEqual({ [phone.deviceId]: unregistered });
  });

  it('stores the greatest id of a key', async () => {
    const fields = { ...phone.keyFields, push_key_id: 2 ** 32 - 1, ...phone.tokenFields() };
    expect(await send(fields)).toMatchObject(success);
    expect(await devicesOf(person)).toMatchObject({
      [phone.deviceId]: { push_key_id: 2 ** 32 - 1 },
    });
  });

  it('lets one of concurrent registrations begin', async () => {
    const fields = { ...phone.keyFields, ...phone.tokenFields() };
    const replies = await Promise.all(Array.from({ length: 5 }, () => send(fields)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400]);
  });

  it('refuses the device of another account', async () => {
    const other = await organisation.addPerson();
    const reply = await phone.send(other.api, { ...phone.keyFields, ...phone.tokenFields() });
    expect(reply).toMatchObject(badRequest('Invalid `device_id`'));
  });
});

describe('A gateway without a push service', () => {
  const notConfigured = {
    status: 400,
    body: {
      code: 'PUSH_SERVICE_NOT_CONFIGURED',
      msg: 'Server is not configured to use push notification service.',
    },
  };

  it('adds devices, and registers none', async () => {
    const own = await startGateway({});
    try {
      const api = own.api('alice');
      await own.database.database.prisma.pushKey.deleteMany();
      const { body } = await api.post('/register_client_device');
      phone.deviceId = Number(body['device_id']);
      const fields = { ...phone.keyFields, ...phone.tokenFields() };
      expect(await phone.send(api, fields)).toMatchObject(notConfigured);
      expect(await phone.send(api, { ...fields, device_id: 2 ** 30 })).toMatchObject(notConfigured);
    } finally {
      await own.stop();
    }
  });
});

describe('The devices of a deactivated account', () => {
  it('get nothing after a reactivation, although no worker has removed them', async () => {
    const owner = await organisation.addPerson({ role: roles.owner });
    const token = androidToken();
    await add();
    await person.api.post('/users/me/android_gcm_reg_id', { token });
    expect(await owner.api.delete(`/users/${person.id}`)).toMatchObject(success);
    expect(await owner.api.post(`/users/${person.id}/reactivate`)).toMatchObject(success);
    expect(await devicesOf(person)).toEqual({});
    const test = () => person.api.post('/mobile_push/test_notification', { token });
    expect(await test()).toMatchObject({ status: 400, body: { msg: 'Device not recognized' } });
    await person.api.post('/users/me/android_gcm_reg_id', { token });
    const added = await add();
    expect(await devicesOf(person)).toEqual({ [added]: unregistered });
    const row = await prisma().pushDevice.findFirstOrThrow({ where: { token } });
    const account = await prisma().user.findUniqueOrThrow({ where: { id: person.id } });
    expect(row.keyGeneration).toBe(account.keyGeneration);
  });
});
