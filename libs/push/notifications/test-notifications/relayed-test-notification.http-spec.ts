import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { EncryptedPhone } from '#test/encrypted-phone';
import { eventually } from '#test/eventually';
import { FakePushService, type ServiceFault } from '#test/fake-push-service';
import { addOrganisation, type Person } from '#test/organisation';
import { androidToken, iphoneToken } from '#test/push-tokens';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const service = useFixture(() => FakePushService.start());
const system = useGateway(() => ({
  PUSH_SERVICE_ENABLED: 'false',
  PUSH_SERVICE_URL: service.url,
  PUSH_SERVICE_ORG_ID: service.orgId,
  PUSH_SERVICE_ORG_KEY: service.orgKey,
  PUSH_KEY_SECRET: randomBytes(32).toString('base64'),
}));
const organisation = useFixture(() => addOrganisation(system));
let person: Person;
beforeEach(async () => {
  person = await organisation.addPerson();
});
afterEach(() => {
  service.fault = () => null;
});
const prisma = () => system.database.database.prisma;

/** A device whose token is registered at the service, as if its job had run. */
async function registered(): Promise<EncryptedPhone> {
  const phone = await EncryptedPhone.android(service.publicKey).register(person.api);
  const data = { realmId: organisation.id };
  const { uuid } = await prisma().pushServiceRealm.upsert({
    where: data,
    create: data,
    update: {},
  });
  service.realms.set(uuid, {});
  service.encrypted.set(`${uuid} ${phone.tokenId}`, { token: phone.token, kind: 'fcm' });
  await prisma().clientDevice.update({
    where: { id: phone.deviceId },
    data: {
      pushTokenId: new Uint8Array(Buffer.from(phone.tokenId, 'base64')),
      platform: 'fcm',
      pendingTokenId: null,
      pendingPlatform: null,
    },
  });
  return phone;
}

const failing = (path: string, fault: ServiceFault) => {
  service.fault = (request) => (request.path === path ? fault : null);
};
const answering = (status: number, code: string): ServiceFault => ({
  kind: 'answer',
  status,
  body: JSON.stringify({ result: 'error', code, msg: 'of the service' }),
});

describe('POST /mobile_push/e2ee/test_notification of a server that relays', () => {
  const send = (fields = {}) => person.api.post('/mobile_push/e2ee/test_notification', fields);

  it('is sent while the caller waits', async () => {
    const [one, other] = [await registered(), await registered()];
    expect(await send()).toMatchObject(success);
    for (const phone of [one, other]) {
      const sent = service.sent.find(({ token }) => token === phone.token);
      expect(phone.read(String(sent?.payload['encrypted_data']))).toMatchObject({
        type: 'test',
        user_id: person.id,
      });
    }
    expect(service.of('/push/e2ee/notify')).toHaveLength(1);
  });

  it('removes a dead token, and fails if no other is left', async () => {
    const [dead, alive] = [await registered(), await registered()];
    service.dead.add(dead.token);
    expect(await send()).toMatchObject(success);
    expect(await send({ device_id: dead.deviceId })).toMatchObject({
      status: 400,
      body: { code: 'NO_ACTIVE_PUSH_DEVICE' },
    });
    service.dead.add(alive.token);
    expect(await send()).toMatchObject({ status: 400, body: { code: 'NO_ACTIVE_PUSH_DEVICE' } });
  });

  it.each([
    [502, 'FAILED_TO_CONNECT_BOUNCER', { kind: 'cut' }],
    [502, 'INTERNAL_SERVER_ERROR_ON_BOUNCER', { kind: 'answer', status: 500, body: '' }],
    [403, 'ADMIN_ACTION_REQUIRED', { kind: 'answer', status: 302, body: '' }],
    [403, 'ADMIN_ACTION_REQUIRED', answering(401, 'UNAUTHORIZED')],
    [403, 'ADMIN_ACTION_REQUIRED', answering(403, 'MISSING_REMOTE_REALM')],
    [403, 'ADMIN_ACTION_REQUIRED', answering(400, 'PUSH_NOTIFICATIONS_DISALLOWED')],
  ] as const)('fails with %i %s after %j', async (status, code, fault) => {
    await registered();
    failing('/push/e2ee/notify', fault);
    expect(await send()).toMatchObject({ status, body: { code } });
  });
});

describe('The answer to an encrypted test of a server that relays', () => {
  const send = () => person.api.post('/mobile_push/e2ee/test_notification');
  const status = async () =>
    prisma().pushServiceRealm.findUnique({ where: { realmId: organisation.id } });

  it('is stored as the status of the organisation', async () => {
    await registered();
    service.canPush = { can_push: true, expected_end_timestamp: 1_900_000_000 };
    expect(await send()).toMatchObject(success);
    service.canPush = { can_push: true, expected_end_timestamp: null };
    expect(await status()).toMatchObject({
      canPush: true,
      pushEndsAt: new Date(1_900_000_000_000),
    });
  });

  it.each(['MISSING_REMOTE_REALM', 'PUSH_NOTIFICATIONS_DISALLOWED'])(
    'switches notifications off: %s',
    async (code) => {
      await registered();
      const data = { canPush: true, pushEndsAt: new Date(1_900_000_000_000) };
      await prisma().pushServiceRealm.update({ where: { realmId: organisation.id }, data });
      failing('/push/e2ee/notify', answering(403, code));
      await send();
      expect(await status()).toMatchObject({ canPush: false, pushEndsAt: null });
    },
  );

  it('is not asked for if the key of the phone was sealed with another secret', async () => {
    const [phone, other] = [await registered(), await registered()];
    const pushKeySealed = new Uint8Array(80);
    const where = { id: phone.deviceId };
    await prisma().clientDevice.update({ where, data: { pushKeySealed } });
    expect(await send()).toMatchObject(success);
    expect(service.sent.at(-1)).toMatchObject({ token: other.token });
    await prisma().clientDevice.update({ where: { id: other.deviceId }, data: { pushKeySealed } });
    expect(await send()).toMatchObject({ status: 403, body: { code: 'ADMIN_ACTION_REQUIRED' } });
  });
});

describe('POST /mobile_push/test_notification of a server that relays', () => {
  const send = (fields = {}) => person.api.post('/mobile_push/test_notification', fields);
  const register = async () => {
    const [android, iphone] = [androidToken(), iphoneToken()];
    await person.api.post('/users/me/android_gcm_reg_id', { token: android });
    await person.api.post('/users/me/apns_device_token', { token: iphone, appid: 'org.a' });
    return { android, iphone };
  };
  const requests = () =>
    service
      .of('/push/test_notification')
      .filter(({ fields }) => fields['user_id'] === person.id)
      .map(({ fields }) => fields);

  it('is one request for each phone', async () => {
    const { android, iphone } = await register();
    expect(await send()).toMatchObject(success);
    const inOrder = requests().toSorted(
      (one, other) => Number(one['token_kind']) - Number(other['token_kind']),
    );
    expect(inOrder).toMatchObject([
      { token: iphone, token_kind: 1 },
      {
        token: android,
        token_kind: 2,
        base_payload: { realm_id: organisation.id, user_id: person.id },
      },
    ]);
  });

  it('names tokens as they were registered: the service may compare them exactly', async () => {
    const iphone = iphoneToken();
    const token = iphone.toUpperCase();
    await person.api.post('/users/me/apns_device_token', { token, appid: 'org.a' });
    expect(await send()).toMatchObject(success);
    expect(await send({ token: iphone })).toMatchObject(success);
    expect(requests()).toMatchObject([{ token }, { token }]);
  });

  it('sends to all phones at once, since the service may be slow', async () => {
    await register();
    failing('/push/test_notification', { kind: 'hang' });
    const reply = send();
    await eventually(() => expect(requests()).toHaveLength(2));
    service.dropConnections();
    expect(await reply).toMatchObject({ status: 502 });
  });

  it('sends nothing for an organisation that requires encryption', async () => {
    const requireEncryption = (requiresEncryptedPush: boolean) =>
      prisma().realm.update({ where: { id: organisation.id }, data: { requiresEncryptedPush } });
    await register();
    await requireEncryption(true);
    expect(await send()).toMatchObject(success);
    expect(requests()).toEqual([]);
    await requireEncryption(false);
    await send();
    expect(requests()).toHaveLength(2);
  });

  it('names the organisation as it is called now', async () => {
    const { android } = await register();
    const phone = await registered();
    const rename = (name: string) =>
      prisma().realm.update({ where: { id: organisation.id }, data: { name } });
    for (const realm_name of ['Before', 'After']) {
      await rename(realm_name);
      await send({ token: android });
      expect(requests().at(-1)).toMatchObject({ base_payload: { realm_name } });
      await person.api.post('/mobile_push/e2ee/test_notification', { device_id: phone.deviceId });
      const sent = service.sent.findLast(({ token }) => token === phone.token);
      expect(phone.read(String(sent?.payload['encrypted_data']))).toMatchObject({ realm_name });
    }
  });

  it('goes to one phone, and refuses another token', async () => {
    const { android } = await register();
    expect(await send({ token: android })).toMatchObject(success);
    expect(requests()).toMatchObject([{ token: android }]);
    expect(await send({ token: 'other' })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_PUSH_DEVICE_TOKEN' },
    });
  });

  it('passes on that the service does not know the phone', async () => {
    const { android } = await register();
    service.legacy.splice(0);
    expect(await send({ token: android })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REMOTE_PUSH_DEVICE_TOKEN' },
    });
  });

  it.each([
    [502, 'ConnectionError while trying to connect to push notification bouncer', { kind: 'cut' }],
    [502, 'Received 500 from push notification bouncer', { kind: 'answer', status: 500, body: '' }],
    [400, 'of the service', answering(401, 'UNAUTHORIZED')],
    [
      502,
      'Push notifications bouncer error: of the service',
      answering(400, 'PUSH_NOTIFICATIONS_DISALLOWED'),
    ],
  ] as const)('fails with %i %s', async (status, msg, fault) => {
    await register();
    failing('/push/test_notification', fault);
    expect(await send()).toMatchObject({ status, body: { msg } });
  });
});

describe('The state of an organisation of a server that relays', () => {
  const state = async () => {
    const { body } = await person.api.post('/register', { fetch_event_types: ['realm'] });
    return body;
  };

  it('says whether the service sends for it', async () => {
    const where = { realmId: organisation.id };
    await prisma().pushServiceRealm.upsert({
      where,
      create: { ...where, canPush: true, pushEndsAt: new Date(1_900_000_000_000) },
      update: { canPush: true, pushEndsAt: new Date(1_900_000_000_000) },
    });
    expect(await state()).toMatchObject({
      realm_push_notifications_enabled: true,
      realm_push_notifications_enabled_end_timestamp: 1_900_000_000,
    });
    await prisma().pushServiceRealm.update({ where, data: { canPush: false, pushEndsAt: null } });
    expect(await state()).toMatchObject({
      realm_push_notifications_enabled: false,
      realm_push_notifications_enabled_end_timestamp: null,
    });
  });
});
