import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { EncryptedPhone } from '#test/encrypted-phone';
import { eventually } from '#test/eventually';
import { androidToken, iphoneToken } from '#test/push-tokens';
import { PushRegistrations } from '#test/push-registrations';
import { type Account, usePushSystem } from '#test/push-system';

const system = usePushSystem();
const phones = new PushRegistrations(system);
let worker: INestApplicationContext;
let account: Account;
let publicKey: string;

beforeAll(async () => {
  worker = await system.startWorker({});
  publicKey = await phones.addPushKey();
});
beforeEach(async () => {
  account = await system.addAccount();
});
afterEach(() => void jest.restoreAllMocks());

const prisma = () => system.database.prisma;
const deviceOf = (id: number) => prisma().clientDevice.findUniqueOrThrow({ where: { id } });
const registrationOf = ({ token }: EncryptedPhone) =>
  prisma().pushRegistration.findFirst({ where: { token } });
const hasRequest = async (deviceId: number) =>
  (await prisma().pushTokenRequest.findUnique({ where: { deviceId } })) !== null;

const settled = (phone: EncryptedPhone) =>
  eventually(async () => {
    expect(await hasRequest(phone.deviceId)).toBe(false);
    return deviceOf(phone.deviceId);
  });

const bytes = (phone: EncryptedPhone) => new Uint8Array(Buffer.from(phone.tokenId, 'base64'));

const realNow = Date.now;

/** The time until the second attempt at a registration. */
async function pauseAfterFailure({ deviceId }: EncryptedPhone): Promise<number> {
  const { dueAt } = await eventually(async () => {
    const found = await prisma().pushTokenRequest.findUniqueOrThrow({ where: { deviceId } });
    expect(found.attempts).toBe(1);
    return found;
  });
  return dueAt.getTime() - realNow();
}

/** Makes the request of a phone a day old, and waits until it has failed. */
async function failAfterADay(phone: EncryptedPhone): Promise<void> {
  await prisma().pushTokenRequest.update({
    where: { deviceId: phone.deviceId },
    data: { requestedAt: new Date(Date.now() - 86_400_000), dueAt: new Date(0) },
  });
  await system.sweep(worker);
  expect(await settled(phone)).toMatchObject({ errorCode: 'REQUEST_EXPIRED' });
}

describe('The registration of a client device', () => {
  it.each([
    ['iphone', EncryptedPhone.iphone],
    ['android', EncryptedPhone.android],
  ])('stores the token of an %s', async (_, make) => {
    const phone = make(publicKey);
    await phones.register(account, phone);
    expect(await settled(phone)).toMatchObject({
      pushTokenId: bytes(phone),
      platform: phone.platform,
      pendingTokenId: null,
      pendingPlatform: null,
      errorCode: null,
    });
    expect(await registrationOf(phone)).toMatchObject({ platform: phone.platform });
    expect(await phones.eventsOf(account)).toMatchObject([
      { op: 'add' },
      { op: 'update', pending_push_token_id: phone.tokenId },
      { op: 'update', push_token_id: phone.tokenId, pending_push_token_id: null },
    ]);
  });

  it.each([
    ['INVALID_BOUNCER_PUBLIC_KEY', { servicePublicKey: Buffer.alloc(32).toString('base64') }],
    ['INVALID_BOUNCER_PUBLIC_KEY', { servicePublicKey: 'no key' }],
    ['REQUEST_EXPIRED', { timestamp: Math.floor(Date.now() / 1000) - 90_000 }],
    ['REQUEST_EXPIRED', { timestamp: Math.floor(Date.now() / 1000) + 90_000 }],
    ['INVALID_ENCRYPTED_PUSH_REGISTRATION', { timestamp: 1.5 }],
  ])('fails with %s for %j', async (errorCode, peculiarities) => {
    const phone = EncryptedPhone.android(publicKey);
    await phones.register(account, phone, peculiarities);
    expect(await settled(phone)).toMatchObject({
      pushTokenId: null,
      pendingTokenId: bytes(phone),
      errorCode,
    });
    expect(await registrationOf(phone)).toBeNull();
    expect((await phones.eventsOf(account)).at(-1)).toEqual({
      op: 'update',
      device_id: phone.deviceId,
      push_registration_error_code: errorCode,
    });
    await phones.registerAgain(account, phone);
    expect(await settled(phone)).toMatchObject({ pushTokenId: bytes(phone), errorCode: null });
  });

  it('refuses a registration of another token', async () => {
    const [phone, other] = [EncryptedPhone.android(publicKey), EncryptedPhone.android(publicKey)];
    await phones.register(account, phone, {
      sealed: other.tokenFields().encrypted_push_registration,
    });
    const errorCode = 'INVALID_ENCRYPTED_PUSH_REGISTRATION';
    expect(await settled(phone)).toMatchObject({ errorCode });
    expect(await registrationOf(other)).toBeNull();
  });

  it('removes the plain-text device with the same token of the account only', async () => {
    const [token, kept] = [iphoneToken(), androidToken()];
    const other = await system.addAccount();
    await system.devices.register(account, { platform: 'apns', token, appId: 'org.a' });
    await system.devices.register(account, { platform: 'fcm', token: kept });
    await system.devices.register(other, { platform: 'apns', token, appId: 'org.a' });
    const phone = EncryptedPhone.iphone(publicKey, token.toUpperCase());
    await phones.register(account, phone);
    await settled(phone);
    expect(await system.tokensOf(account)).toEqual([kept]);
    expect(await system.tokensOf(other)).toEqual([token]);
  });

  it('keeps the previous token until the new one is registered, and then forgets it', async () => {
    const phone = EncryptedPhone.android(publicKey);
    await phones.register(account, phone);
    await settled(phone);
    const next = EncryptedPhone.iphone(publicKey);
    next.deviceId = phone.deviceId;
    await phones.registerAgain(account, next, { servicePublicKey: 'no key' });
    expect(await settled(phone)).toMatchObject({ pushTokenId: bytes(phone), platform: 'fcm' });
    expect(await registrationOf(phone)).not.toBeNull();
    await phones.registerAgain(account, next);
    expect(await settled(phone)).toMatchObject({ pushTokenId: bytes(next), platform: 'apns' });
    expect(await registrationOf(phone)).toBeNull();
  });

  it('keeps a token that another device of the organisation has', async () => {
    const phone = EncryptedPhone.android(publicKey);
    const shared = EncryptedPhone.android(publicKey, phone.token);
    await phones.register(account, phone);
    await phones.register(await system.addAccount(), shared);
    await Promise.all([settled(phone), settled(shared)]);
    await phones.remove(account, phone);
    expect(await registrationOf(phone)).not.toBeNull();
    const other = await prisma().clientDevice.findUniqueOrThrow({ where: { id: shared.deviceId } });
    await prisma().clientDevice.update({
      where: { id: other.id },
      data: { userId: account.userId },
    });
    await phones.remove(account, shared);
    expect(await registrationOf(phone)).toBeNull();
  });

  it('does not keep the token of another device when it has failed', async () => {
    const phone = EncryptedPhone.android(publicKey);
    const failed = EncryptedPhone.android(publicKey, phone.token);
    const other = await system.addAccount();
    await phones.register(account, phone);
    await settled(phone);
    await phones.register(other, failed, { servicePublicKey: 'no key' });
    expect(await settled(failed)).toMatchObject({ pendingTokenId: bytes(phone) });
    await phones.remove(account, phone);
    expect(await registrationOf(phone)).toBeNull();
    await phones.registerAgain(other, failed);
    expect(await settled(failed)).toMatchObject({ pushTokenId: bytes(phone) });
    expect(await registrationOf(phone)).not.toBeNull();
  });

  it('keeps the token of another device until it fails', async () => {
    const phone = EncryptedPhone.android(publicKey);
    const waiting = EncryptedPhone.android(await phones.addUnreadablePushKey(), phone.token);
    await phones.register(account, phone);
    await settled(phone);
    await phones.register(await system.addAccount(), waiting);
    await pauseAfterFailure(waiting);
    await phones.remove(account, phone);
    expect(await registrationOf(phone)).not.toBeNull();
    await failAfterADay(waiting);
    expect(await registrationOf(phone)).toBeNull();
  });

  it('refreshes the registration after a day, and changes nothing if that fails', async () => {
    const phone = EncryptedPhone.android(publicKey);
    await phones.register(account, phone);
    await settled(phone);
    const before = await registrationOf(phone);
    const ages = { tokenUpdatedAt: new Date(Date.now() - 86_400_000) };
    await prisma().clientDevice.update({ where: { id: phone.deviceId }, data: ages });
    await phones.registerAgain(account, phone);
    const device = await settled(phone);
    expect(device).toMatchObject({ pushTokenId: bytes(phone), pendingTokenId: null });
    expect(Number((await registrationOf(phone))?.refreshedAt)).toBeGreaterThan(
      Number(before?.refreshedAt),
    );
    expect((await phones.eventsOf(account)).at(-1)).toEqual({
      op: 'update',
      device_id: phone.deviceId,
      push_token_last_updated_timestamp: Math.floor(Number(device.tokenUpdatedAt) / 1000),
    });
    const events = (await phones.eventsOf(account)).length;
    await prisma().clientDevice.update({ where: { id: phone.deviceId }, data: ages });
    await phones.registerAgain(account, phone, { servicePublicKey: 'no key' });
    expect(await settled(phone)).toMatchObject({ pushTokenId: bytes(phone), errorCode: null });
    expect(await phones.eventsOf(account)).toHaveLength(events + 1);
  });

  it('survives the loss of its job', async () => {
    await system.stopWorkers();
    const phone = EncryptedPhone.android(publicKey);
    await phones.register(account, phone);
    await system.forgetQueues();
    worker = await system.startWorker({});
    expect(await hasRequest(phone.deviceId)).toBe(true);
    await prisma().pushTokenRequest.update({
      where: { deviceId: phone.deviceId },
      data: { dueAt: new Date(Date.now() - 1000) },
    });
    await system.sweep(worker);
    expect(await settled(phone)).toMatchObject({ pushTokenId: bytes(phone) });
  });

  it('is repeated while the private key cannot be opened, and fails after a day', async () => {
    const key = await phones.addUnreadablePushKey();
    const phone = EncryptedPhone.android(key);
    await phones.register(account, phone);
    const pauseMs = await pauseAfterFailure(phone);
    expect(pauseMs).toBeGreaterThan(2000);
    expect(pauseMs).toBeLessThan(8000);
    expect(await deviceOf(phone.deviceId)).toMatchObject({ errorCode: null });
    await failAfterADay(phone);
  });

  it.each([
    ['ahead of', 600_000],
    ['behind', -600_000],
  ])(
    'is repeated after the same pause by a worker whose clock is %s that of PostgreSQL',
    async (_, errorMs) => {
      const phone = EncryptedPhone.android(await phones.addUnreadablePushKey());
      jest.spyOn(Date, 'now').mockImplementation(() => realNow() + errorMs);
      await phones.register(account, phone);
      const pauseMs = await pauseAfterFailure(phone);
      expect(pauseMs).toBeGreaterThan(2000);
      expect(pauseMs).toBeLessThan(8000);
    },
  );
});
