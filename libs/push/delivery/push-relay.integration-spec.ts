import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CircuitBreakers } from '#push/breakers';
import { EncryptedPhone } from '#test/encrypted-phone';
import { eventually } from '#test/eventually';
import { FakePushService, serviceAway } from '#test/fake-push-service';
import { PushRegistrations } from '#test/push-registrations';
import { type Account, usePushSystem } from '#test/push-system';
import { useFixture } from '#test/use-fixture';

const service = useFixture(() => FakePushService.start());
const system = usePushSystem(() => ({ relay: service.settings }));
const phones = new PushRegistrations(system);
const worker = useFixture(() => system.startRelayWorker());
let account: Account;
beforeEach(async () => {
  account = await system.addAccount();
});
afterEach(() => {
  service.fault = () => null;
});
const deviceOf = ({ deviceId: id }: EncryptedPhone) =>
  system.database.prisma.clientDevice.findUniqueOrThrow({ where: { id } });

async function registered(phone: EncryptedPhone, by = account): Promise<EncryptedPhone> {
  await phones.register(by, phone);
  await eventually(async () => {
    expect(await deviceOf(phone)).toMatchObject({ pendingTokenId: null, errorCode: null });
  });
  return phone;
}

let nextMessageId = 100;

/** Takes a message back from the screens of accounts; resolves with its id. */
async function takeBack(...accounts: readonly Account[]): Promise<number> {
  const messageId = (nextMessageId += 1);
  await system.takeBack(messageId, ...accounts);
  return messageId;
}

const states = async (of = account) => (await system.deliveriesOf(of)).map(({ state }) => state);
const untilEnded = (of = account) =>
  eventually(async () => expect(await states(of)).not.toContain('pending'));

const readBy = (phone: EncryptedPhone): unknown[] =>
  service.sent
    .filter(({ token }) => token === phone.token)
    .map(({ payload }) => phone.read(String(payload['encrypted_data'])));

describe('The registration of a client device at the service', () => {
  it('passes on what the phone has sealed', async () => {
    const phone = await registered(EncryptedPhone.iphone(service.publicKey));
    expect(await deviceOf(phone)).toMatchObject({ platform: 'apns' });
    const [request] = service.of('/push/e2ee/register').slice(-1);
    expect(request?.fields).toMatchObject({
      realm_uuid: [...service.realms.keys()][0],
      token_id: phone.tokenId,
      bouncer_public_key: service.publicKey,
    });
    expect(request?.headers).toMatchObject({
      'user-agent': 'ZulipServer/12.0',
      'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
    });
  });

  it.each([
    ['INVALID_BOUNCER_PUBLIC_KEY', 400, 'INVALID_BOUNCER_PUBLIC_KEY'],
    ['INVALID_ENCRYPTED_PUSH_REGISTRATION', 400, 'INVALID_ENCRYPTED_PUSH_REGISTRATION'],
    ['REQUEST_EXPIRED', 400, 'REQUEST_EXPIRED'],
    ['BAD_REQUEST', 400, 'SOMETHING_ELSE'],
    ['BAD_REQUEST', 403, 'REMOTE_REALM_SERVER_MISMATCH_ERROR'],
  ])('fails with %s for %i %s', async (errorCode, status, code) => {
    service.fault = ({ path }) =>
      path === '/push/e2ee/register'
        ? { kind: 'answer', status, body: JSON.stringify({ result: 'error', code, msg: '' }) }
        : null;
    const phone = EncryptedPhone.android(service.publicKey);
    await phones.register(account, phone);
    await eventually(async () => expect(await deviceOf(phone)).toMatchObject({ errorCode }));
  });

  it.each([
    ['a cut connection', { kind: 'cut' }],
    ['500', { kind: 'answer', status: 500, body: '' }],
    ['no JSON', { kind: 'answer', status: 400, body: '<html>' }],
    ['a redirection', { kind: 'answer', status: 302, body: '' }],
    ['401', { kind: 'answer', status: 401, body: '{"code":"UNAUTHORIZED","msg":"no"}' }],
    ['429', { kind: 'answer', status: 429, body: '{"code":"RATE_LIMIT_HIT","msg":"no"}' }],
  ] as const)('is repeated after %s', async (_, fault) => {
    service.fault = ({ path }) => (path === '/push/e2ee/register' ? fault : null);
    const phone = EncryptedPhone.android(service.publicKey);
    await phones.register(account, phone);
    const request = await eventually(async () => {
      const found = await system.database.prisma.pushTokenRequest.findUniqueOrThrow({
        where: { deviceId: phone.deviceId },
      });
      expect(found.attempts).toBe(1);
      return found;
    });
    expect(await deviceOf(phone)).toMatchObject({ errorCode: null });
    expect(request.dueAt.getTime()).toBeGreaterThan(Date.now() + 3000);
  });
});

describe('A notification through the service', () => {
  it('goes to all encrypted devices of an account in one request', async () => {
    const iphone = await registered(EncryptedPhone.iphone(service.publicKey));
    const android = await registered(EncryptedPhone.android(service.publicKey));
    const before = service.of('/push/e2ee/notify').length;
    const messageId = await takeBack(account);
    await untilEnded();
    expect(await states()).toEqual(['delivered', 'delivered']);
    for (const phone of [iphone, android]) {
      expect(readBy(phone)).toMatchObject([{ type: 'remove', message_ids: [messageId] }]);
    }
    const requests = service.of('/push/e2ee/notify').slice(before);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.fields['push_requests']).toEqual(
      expect.arrayContaining([
        {
          token_id: iphone.tokenId,
          http_headers: { apns_priority: 5, apns_push_type: 'background' },
          payload: {
            push_key_id: iphone.keyId,
            encrypted_data: expect.any(String),
            aps: { 'mutable-content': 1, 'content-available': 1 },
          },
        },
        {
          token_id: android.tokenId,
          fcm_priority: 'normal',
          payload: { push_key_id: android.keyId, encrypted_data: expect.any(String) },
        },
      ]),
    );
  });

  it('takes a token that the service has deleted from all devices of the organisation', async () => {
    const other = await system.addAccount();
    const phone = await registered(EncryptedPhone.android(service.publicKey));
    const same = await registered(EncryptedPhone.android(service.publicKey, phone.token), other);
    service.dead.add(phone.token);
    await takeBack(account);
    await untilEnded();
    expect(await states()).toEqual(['dead_token']);
    for (const device of [phone, same]) {
      expect(await deviceOf(device)).toMatchObject({ pushTokenId: null });
    }
    expect((await phones.eventsOf(other)).at(-1)).toEqual({
      op: 'update',
      device_id: same.deviceId,
      push_token_id: null,
    });
  });

  it.each([
    ['two cut connections', 2, { kind: 'cut' }],
    ['503, twice', 2, serviceAway],
    ['no JSON, twice', 2, { kind: 'answer', status: 200, body: '<html>' }],
    ['401', 1, { kind: 'answer', status: 401, body: '{"code":"UNAUTHORIZED","msg":"no"}' }],
  ] as const)('arrives once after %s', async (_, times, fault) => {
    const phone = await registered(EncryptedPhone.android(service.publicKey));
    let failures = 0;
    service.fault = ({ path }) =>
      path === '/push/e2ee/notify' && (failures += 1) <= times ? fault : null;
    const messageId = await takeBack(account);
    // Two pauses of at most 15 and 30 s.
    await eventually(async () => expect(await states()).toEqual(['delivered']), 70_000);
    expect(readBy(phone)).toMatchObject([{ message_ids: [messageId] }]);
  });

  it('does not stop those of others when a request with many notifications is cut off', async () => {
    const openings = () =>
      worker.get(CircuitBreakers, { strict: false }).statuses()[0]?.openedCount;
    for (let count = 0; count < 6; count += 1) {
      await registered(EncryptedPhone.android(service.publicKey));
    }
    await takeBack(account);
    await untilEnded();
    const before = openings();
    let isCut = false;
    service.fault = ({ path, fields: { push_requests: pushes } }) => {
      const isFirst = !isCut && path === '/push/e2ee/notify' && (pushes as unknown[]).length > 1;
      isCut ||= isFirst;
      return isFirst ? { kind: 'cut' } : null;
    };
    await takeBack(account);
    await untilEnded();
    expect(isCut).toBe(true);
    expect(openings()).toBe(before);
  });

  it('becomes a dead letter when the service refuses it', async () => {
    await registered(EncryptedPhone.android(service.publicKey));
    service.fault = ({ path }) =>
      path === '/push/e2ee/notify'
        ? {
            kind: 'answer',
            status: 400,
            body: '{"code":"PUSH_NOTIFICATIONS_DISALLOWED","msg":"no"}',
          }
        : null;
    await takeBack(account);
    await untilEnded();
    expect(await system.deliveriesOf(account)).toMatchObject([
      { state: 'rejected', reason: 'PUSH_NOTIFICATIONS_DISALLOWED' },
    ]);
  });

  it('is refused alone when the service refuses a request for one phone', async () => {
    const good = [
      await registered(EncryptedPhone.android(service.publicKey)),
      await registered(EncryptedPhone.iphone(service.publicKey)),
    ];
    const bad = await registered(EncryptedPhone.android(service.publicKey));
    service.fault = ({ path, fields: { push_requests: pushes } }) =>
      path === '/push/e2ee/notify' && JSON.stringify(pushes).includes(bad.tokenId)
        ? { kind: 'answer', status: 400, body: '{"code":"BAD_REQUEST","msg":"no"}' }
        : null;
    const messageId = await takeBack(account);
    await untilEnded();
    expect(await states()).toEqual(['delivered', 'delivered', 'rejected']);
    for (const phone of good) expect(readBy(phone)).toMatchObject([{ message_ids: [messageId] }]);
  });
});
