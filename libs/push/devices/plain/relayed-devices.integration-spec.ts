import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Metrics } from '#platform/telemetry';
import { useFixture } from '#test/use-fixture';
import { LogoutRepository } from '../logout/logout.repository.js';
import { DEVICE_CHANGES, type DeviceChanges, TokenChangeRepository } from '#push/relay';
import { EncryptedPhone } from '#test/encrypted-phone';
import { eventually } from '#test/eventually';
import { FakePushService, serviceAway } from '#test/fake-push-service';
import { untilLockWaits } from '#test/lock-waits';
import { PushRegistrations } from '#test/push-registrations';
import { androidToken, iphoneToken } from '#test/push-tokens';
import { type Account, usePushSystem } from '#test/push-system';
import { ClientDevicesService } from '../encrypted/client-devices.service.js';
import { WebPushRepository } from '../web/web-push.repository.js';
import { DeviceInventoryRepository } from '../device-inventory.repository.js';
import { DeviceRepository } from './device.repository.js';

const service = useFixture(() => FakePushService.start());
const system = usePushSystem(() => ({ relay: service.settings }));
const worker = useFixture(() => system.startRelayWorker());
let account: Account;
beforeEach(async () => {
  account = await system.addAccount();
});
afterEach(() => {
  service.fault = () => null;
});
const register = (token: string, by = account) =>
  system.devices.register(by, { platform: 'fcm', token });

const anywhere = { strict: false };

const tokensAtService = () => service.legacy.map(({ token }) => token);
const changesOf = ({ userId }: Account) =>
  system.database.prisma.pushServiceChange.findMany({ where: { userId } });

/** Lets the changes of an account be due, and sends them. */
async function sendChanges(of = account): Promise<void> {
  await system.sendChanges(worker, of);
  await eventually(async () => expect(await changesOf(of)).toEqual([]));
}

describe('A phone of a server that relays', () => {
  it('is registered at the service with the stable identities of its account', async () => {
    const token = iphoneToken().toUpperCase();
    await system.devices.register(account, { platform: 'apns', token, appId: 'org.example.A' });
    await register(androidToken());
    const [first, second] = service.of('/push/register').slice(-2);
    expect(first?.fields).toEqual({
      server_uuid: service.orgId,
      user_uuid: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab]/),
      realm_uuid: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab]/),
      user_id: String(account.userId),
      token,
      token_kind: '1',
      ios_app_id: 'org.example.A',
    });
    expect(second?.fields).toMatchObject({
      user_uuid: first?.fields['user_uuid'],
      realm_uuid: first?.fields['realm_uuid'],
      token_kind: '2',
    });
    expect(second?.fields).not.toHaveProperty('ios_app_id');
    expect(await changesOf(account)).toEqual([]);
  });

  it.each([
    [502, 'ConnectionError while trying to connect to push notification bouncer', { kind: 'cut' }],
    [502, 'Received 503 from push notification bouncer', serviceAway],
    [
      502,
      'Push notification bouncer returned unexpected status code 302',
      { kind: 'answer', status: 302, body: '' },
    ],
    [
      502,
      'Push notifications bouncer error: no',
      { kind: 'answer', status: 400, body: '{"code":"INVALID_ZULIP_SERVER","msg":"no"}' },
    ],
    [400, 'no', { kind: 'answer', status: 401, body: '{"code":"UNAUTHORIZED","msg":"no"}' }],
    [
      502,
      'Push notification bouncer returned unexpected status code 404',
      { kind: 'answer', status: 404, body: '{"result":"error","code":"NOT_FOUND","msg":"no"}' },
    ],
    [
      502,
      'Push notification bouncer returned unexpected status code 403',
      { kind: 'answer', status: 403, body: '{"message":"Forbidden"}' },
    ],
  ] as const)('fails with %i %s, and is registered later', async (status, msg, fault) => {
    service.failAt('/push/register', fault);
    const token = androidToken();
    await expect(register(token)).rejects.toMatchObject({ message: msg, error: { status } });
    expect(await system.tokensOf(account)).toEqual([token]);
    service.fault = () => null;
    await sendChanges();
    expect(tokensAtService()).toContain(token);
  });

  it('is forgotten by the service when an operator removes it', async () => {
    const [kept, removed] = [androidToken(), androidToken()];
    await register(kept);
    await register(removed);
    const inventory = new DeviceInventoryRepository(
      system.database,
      new TokenChangeRepository(system.database),
      worker.get(ClientDevicesService, anywhere),
      new WebPushRepository(system.database),
    );
    const devices = await system.database.prisma.pushDevice.findMany({ where: { token: removed } });
    const ids = devices.map(({ id }) => id);
    expect(await inventory.remove(account.userId, { ids })).toEqual(ids);
    await sendChanges();
    expect(tokensAtService()).toContain(kept);
    expect(tokensAtService()).not.toContain(removed);
    await inventory.remove(account.userId, { all: true });
    await sendChanges();
    expect(tokensAtService()).not.toContain(kept);
  });

  it('is not registered again after a refusal', async () => {
    service.failAt('/push/register', {
      kind: 'answer',
      status: 400,
      body: '{"code":"BAD_REQUEST","msg":"Empty or invalid length token"}',
    });
    await expect(register(androidToken())).rejects.toThrow('Empty or invalid length token');
    expect(await changesOf(account)).toEqual([]);
  });

  it.each(['99999999999999', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'waits for an hour at most, also for a Retry-After of %s',
    async (retryAfter) => {
      const headers = { 'retry-after': retryAfter };
      service.failAt('/push/register', { kind: 'answer', status: 429, body: '', headers });
      await expect(register(androidToken())).rejects.toThrow('Received 429');
      const [change] = await changesOf(account);
      expect(change?.dueAt.getTime()).toBeLessThan(Date.now() + 3_610_000);
      service.fault = () => null;
      await sendChanges();
    },
  );

  describe('beside others of its account', () => {
    const refuse = (msg: string, ...tokens: readonly string[]) => {
      const body = JSON.stringify({ code: 'BAD_REQUEST', msg });
      service.fault = ({ fields }) =>
        tokens.includes(String(fields['token'])) ? { kind: 'answer', status: 400, body } : null;
    };

    it('gets its own answer when they register at the same time', async () => {
      const refused = [androidToken(), androidToken(), androidToken()];
      const accepted = [androidToken(), androidToken()];
      refuse('bad', ...refused);
      const all = [refused[0], accepted[0], refused[1], accepted[1], refused[2]] as string[];
      const answers = await Promise.allSettled(all.map((token) => register(token)));
      expect(answers.map(({ status }) => status)).toEqual([
        'rejected',
        'fulfilled',
        'rejected',
        'fulfilled',
        'rejected',
      ]);
      expect(await changesOf(account)).toEqual([]);
    });

    it('is registered although the service now refuses one that had to wait', async () => {
      const [waiting, token] = [androidToken(), androidToken()];
      service.failAt('/push/register');
      await expect(register(waiting)).rejects.toThrow('Received 503');
      refuse('bad', waiting);
      await register(token);
      expect(tokensAtService()).toContain(token);
    });
  });

  it('is removed at the service without waiting for the sweeper', async () => {
    const token = androidToken();
    await register(token);
    await system.devices.remove(account, { platform: 'fcm', token });
    await eventually(async () => expect(tokensAtService()).not.toContain(token));
  });

  it('is removed at the service until that succeeds', async () => {
    const token = androidToken();
    await register(token);
    service.failAt('/push/unregister');
    await system.devices.remove(account, { platform: 'fcm', token });
    await system.sweep(worker);
    await eventually(async () => expect(await changesOf(account)).toMatchObject([{ attempts: 1 }]));
    expect(await worker.get(Metrics, { strict: false }).read()).toContain(
      '\ncarillon_push_service_changes 1',
    );
    service.fault = () => null;
    await sendChanges();
    expect(tokensAtService()).not.toContain(token);
  });

  it.each([403, 404])('is removed at the service after a refusal with %i', async (status) => {
    const token = androidToken();
    await register(token);
    const body = '{"code":"NOT_FOUND","msg":"Not here"}';
    service.failAt('/push/unregister', { kind: 'answer', status, body });
    await system.devices.remove(account, { platform: 'fcm', token });
    await eventually(async () => expect(await changesOf(account)).toMatchObject([{ attempts: 1 }]));
    service.fault = () => null;
    await sendChanges();
    expect(tokensAtService()).not.toContain(token);
  });

  it('has no waiting removal after the service finds the parameters invalid', async () => {
    const token = androidToken();
    await register(token);
    const body = '{"code":"BAD_REQUEST","msg":"Empty or invalid length token"}';
    service.failAt('/push/unregister', { kind: 'answer', status: 400, body });
    await system.devices.remove(account, { platform: 'fcm', token });
    await eventually(async () => expect(await changesOf(account)).toEqual([]));
  });

  it('that the service has forgotten counts as removed', async () => {
    const token = androidToken();
    await register(token);
    service.legacy.splice(0);
    await system.devices.remove(account, { platform: 'fcm', token });
    await sendChanges();
    expect(await changesOf(account)).toEqual([]);
  });

  it('stays registered when it comes back after a removal that has to wait', async () => {
    const token = androidToken();
    await register(token);
    service.failAt('/push/unregister');
    await system.devices.remove(account, { platform: 'fcm', token });
    await register(token);
    service.fault = () => null;
    await sendChanges();
    expect(tokensAtService()).toContain(token);
  });

  it('is unregistered by a new API key, and keeps what was registered with it', async () => {
    const [old, kept] = [androidToken(), androidToken()];
    await register(old);
    const renewed = await system.replaceKey(account);
    await register(kept, renewed);
    await system.logouts.revoke(renewed);
    await eventually(async () => expect(tokensAtService()).not.toContain(old));
    await eventually(async () => expect(await changesOf(account)).toEqual([]));
    expect(service.of('/push/unregister/all')).not.toEqual([]);
    expect(tokensAtService()).toContain(kept);
  });

  it('is unregistered by a new API key although the service refuses that for now', async () => {
    const old = androidToken();
    await register(old);
    const body = '{"code":"NOT_FOUND","msg":"Not here"}';
    service.failAt('/push/unregister/all', { kind: 'answer', status: 404, body });
    const renewed = await system.replaceKey(account);
    await system.logouts.revoke(renewed);
    await eventually(async () => expect(await changesOf(account)).toMatchObject([{ attempts: 1 }]));
    service.fault = () => null;
    await sendChanges();
    expect(tokensAtService()).not.toContain(old);
  });

  it('stays registered when the logout of the older key begins before its registration is committed', async () => {
    await register(androidToken());
    const renewed = await system.replaceKey(account);
    const device = { platform: 'fcm' as const, token: androidToken() };
    const { loggedOut } = await system.database.transaction(async (transaction) => {
      await worker.get(DeviceRepository, anywhere).register(transaction, renewed, device, 100);
      const changed = { ...device, userId: account.userId, appId: null };
      await worker.get<DeviceChanges>(DEVICE_CHANGES, anywhere).registered(transaction, changed);
      const logout = worker.get(LogoutRepository, anywhere).logOut(renewed);
      await untilLockWaits(system.database);
      // Not awaited: it waits for the end of this transaction.
      return { loggedOut: logout };
    });
    await loggedOut;
    await sendChanges();
    expect(tokensAtService()).toContain(device.token);
  });

  it('has one spelling of its token at the service, which may compare exactly', async () => {
    const token = iphoneToken();
    const capitals = token.toUpperCase();
    const phone = { platform: 'apns', token: capitals, appId: 'org.example.A' } as const;
    await system.devices.register(account, phone);
    await system.devices.register(account, { ...phone, token });
    const ofAccount = service.legacy.filter(({ token: one }) => one.toUpperCase() === capitals);
    expect(ofAccount).toMatchObject([{ token: capitals }]);
    await system.devices.remove(account, { platform: 'apns', token });
    await sendChanges();
    expect(tokensAtService()).not.toContain(capitals);
    // Encrypted notifications replace it in every spelling.
    await system.devices.register(account, phone);
    const encrypted = EncryptedPhone.iphone(service.publicKey, token);
    await new PushRegistrations(system).register(account, encrypted);
    await eventually(async () => expect(await system.tokensOf(account)).toEqual([]));
    await sendChanges();
    expect(tokensAtService()).not.toContain(capitals);
  });

  it('leaves the service when the same token is registered for encrypted notifications', async () => {
    const phone = EncryptedPhone.android(service.publicKey);
    await register(phone.token);
    await new PushRegistrations(system).register(account, phone);
    await eventually(async () => expect(await system.tokensOf(account)).toEqual([]));
    await sendChanges();
    expect(tokensAtService()).not.toContain(phone.token);
  });
});
