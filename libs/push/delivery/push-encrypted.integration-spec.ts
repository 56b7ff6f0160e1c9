import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DirectTestService } from '#push/notifications';
import { type OutgoingPush, refusal } from '#push/providers';
import { EncryptedPhone } from '#test/encrypted-phone';
import { eventually } from '#test/eventually';
import { androidToken, iphoneToken } from '#test/push-tokens';
import { PushRegistrations } from '#test/push-registrations';
import { type Account, usePushSystem } from '#test/push-system';
import { RecordingTransport } from '#test/recording-transport';

const system = usePushSystem();
const phones = new PushRegistrations(system);
let account: Account;
let publicKey: string;
const apns = new RecordingTransport();
const fcm = new RecordingTransport();

beforeAll(async () => {
  publicKey = await phones.addPushKey();
  await system.startWorker({ apns, fcm });
});
beforeEach(async () => {
  account = await system.addAccount();
});

const prisma = () => system.database.prisma;

async function registered(phone: EncryptedPhone, by = account): Promise<EncryptedPhone> {
  await phones.register(by, phone);
  await eventually(async () => {
    const device = { where: { id: phone.deviceId } };
    expect((await prisma().clientDevice.findUniqueOrThrow(device)).pushTokenId).not.toBeNull();
  });
  return phone;
}

const sendTest = (deviceId: number | null = null, by = account) =>
  system.service(DirectTestService).sendEncrypted(by, deviceId);
const sentTo = (phone: EncryptedPhone): OutgoingPush[] =>
  [...apns.sent, ...fcm.sent].filter(({ token }) => token === phone.token);

const readBy = (phone: EncryptedPhone, { content }: OutgoingPush): unknown =>
  content.kind === 'encrypted' && content.keyId === phone.keyId ? phone.read(content.data) : null;

const states = async () => (await system.deliveriesOf(account)).map(({ state }) => state);

describe('An encrypted test notification', () => {
  it('is encrypted for each device with its own key', async () => {
    const iphone = await registered(EncryptedPhone.iphone(publicKey));
    const android = await registered(EncryptedPhone.android(publicKey));
    expect(await sendTest()).toBe(2);
    await eventually(async () => expect(await states()).toEqual(['delivered', 'delivered']));
    for (const phone of [iphone, android]) {
      const [push, ...others] = sentTo(phone);
      expect(others).toEqual([]);
      expect(push && readBy(phone, push)).toEqual({
        type: 'test',
        realm_url: 'https://chat.example.org',
        realm_name: 'Push',
        user_id: account.userId,
        time: expect.any(Number),
        ...(phone === android && { notification_id: push?.notificationId }),
      });
    }
    const [push] = sentTo(iphone);
    expect(push && readBy(android, push)).toBeNull();
  });

  it('goes to the given device only', async () => {
    const [one, other] = [
      await registered(EncryptedPhone.android(publicKey)),
      await registered(EncryptedPhone.android(publicKey)),
    ];
    expect(await sendTest(one.deviceId)).toBe(1);
    await eventually(async () => expect(await states()).toEqual(['delivered']));
    expect([sentTo(one).length, sentTo(other).length]).toEqual([1, 0]);
  });

  it('is refused without a registered token', async () => {
    const noDevice = 'No active registered push device';
    await expect(sendTest()).rejects.toThrow(noDevice);
    const foreign = await registered(EncryptedPhone.android(publicKey), await system.addAccount());
    await expect(sendTest(foreign.deviceId)).rejects.toThrow(noDevice);
    const failed = EncryptedPhone.android(publicKey);
    await phones.register(account, failed, { servicePublicKey: 'no key' });
    await expect(sendTest(failed.deviceId)).rejects.toThrow(noDevice);
    await system.devices.register(account, { platform: 'fcm', token: androidToken() });
    await expect(sendTest()).rejects.toThrow(noDevice);
  });

  it('is not a test notification of the older endpoint', async () => {
    await registered(EncryptedPhone.android(publicKey));
    expect(await system.sendTest.send(account)).toBe(0);
  });

  it('uses the newest key of the device', async () => {
    const phone = await registered(EncryptedPhone.android(publicKey));
    const renewed = EncryptedPhone.android(publicKey, phone.token);
    renewed.deviceId = phone.deviceId;
    await phones.sendKey(account, renewed);
    await sendTest();
    await eventually(() => expect(sentTo(phone)).toHaveLength(1));
    const [push] = sentTo(phone);
    expect(push && readBy(renewed, push)).toMatchObject({ type: 'test' });
  });
});

describe('A dead token of a client device', () => {
  it('is taken from every device of the organisation, with events', async () => {
    const other = await system.addAccount();
    const token = iphoneToken();
    const phone = await registered(EncryptedPhone.iphone(publicKey, token.toUpperCase()));
    const shared = await registered(EncryptedPhone.iphone(publicKey, token.toUpperCase()), other);
    await system.devices.register(other, { platform: 'apns', token, appId: 'org.carillon.demo' });
    apns.answerWith(() => refusal({ status: 410, reason: 'Unregistered' }));
    await sendTest();
    await eventually(async () => expect(await states()).toEqual(['dead_token']));
    apns.answerWith(() => ({ kind: 'accepted' }));
    for (const [by, { deviceId }] of [
      [account, phone],
      [other, shared],
    ] as const) {
      expect((await phones.eventsOf(by)).at(-1)).toEqual({
        op: 'update',
        device_id: deviceId,
        push_token_id: null,
      });
      const row = await prisma().clientDevice.findUniqueOrThrow({ where: { id: deviceId } });
      expect(row).toMatchObject({ pushTokenId: null, platform: null });
      expect(row.pushKeySealed).not.toBeNull();
    }
    expect(await system.tokensOf(other)).toEqual([]);
    expect(await prisma().pushRegistration.findFirst({ where: { token: phone.token } })).toBeNull();
    await expect(sendTest()).rejects.toThrow('No active registered push device');
    await phones.registerAgain(account, phone);
    await eventually(async () => expect(await sendTest(phone.deviceId)).toBe(1));
  });
});

describe('A client device that is gone', () => {
  it('gets nothing that was accepted before its removal', async () => {
    const phone = await registered(EncryptedPhone.android(publicKey));
    await system.stopWorkers();
    await sendTest();
    await phones.remove(account, phone);
    await system.startWorker({ apns, fcm });
    await eventually(async () => expect(await states()).toEqual(['revoked']));
    expect(sentTo(phone)).toEqual([]);
  });

  it('is removed with a new API key, with its event', async () => {
    const phone = await registered(EncryptedPhone.android(publicKey));
    const renewed = await system.replaceKey(account);
    await expect(sendTest(null, renewed)).rejects.toThrow('No active registered push device');
    await system.logouts.revoke(renewed);
    await eventually(async () =>
      expect((await phones.eventsOf(account)).at(-1)).toEqual({
        op: 'remove',
        device_id: phone.deviceId,
      }),
    );
    expect(await prisma().pushRegistration.findFirst({ where: { token: phone.token } })).toBeNull();
  });
});

describe('An organisation that requires encryption', () => {
  it('notifies no phone that gets plain text, and its client devices as before', async () => {
    const phone = await registered(EncryptedPhone.android(publicKey));
    const token = androidToken();
    await system.devices.register(account, { platform: 'fcm', token });
    const require = (requiresEncryptedPush: boolean) =>
      prisma().realm.update({ where: { id: system.realmId }, data: { requiresEncryptedPush } });
    const plainPushes = () => fcm.sent.filter((push) => push.token === token);
    await require(true);
    expect(await system.sendTest.send(account, { token })).toBe(1);
    expect(await states()).toEqual(['revoked']);
    expect(plainPushes()).toEqual([]);
    await sendTest();
    await eventually(() => expect(sentTo(phone)).toHaveLength(1));
    await require(false);
    await system.sendTest.send(account, { token });
    expect(plainPushes()).toHaveLength(1);
  });
});
