import { beforeEach, describe, expect, it } from '@jest/globals';
import { androidToken, DEMO_APP_ID, iphoneToken } from '#test/push-tokens';
import { type Account, usePushSystem } from '#test/push-system';

const system = usePushSystem();
let account: Account;

beforeEach(async () => {
  account = await system.addAccount();
});

const devicesOf = ({ userId }: Account) =>
  system.database.prisma.pushDevice.findMany({ where: { userId } });

describe('Push devices', () => {
  it('are stored once with the latest app after any number of registrations', async () => {
    const token = iphoneToken();
    const device = { platform: 'apns', token: token.toUpperCase(), appId: 'org.first' } as const;
    await system.devices.register(account, device);
    const [first] = await devicesOf(account);
    await system.devices.register(account, { ...device, token, appId: DEMO_APP_ID });
    const [second, ...others] = await devicesOf(account);
    expect(second).toMatchObject({ id: first?.id, token, appId: DEMO_APP_ID });
    expect(Number(second?.registeredAt)).toBeGreaterThan(Number(first?.registeredAt));
    expect(others).toEqual([]);
  });

  it('take no id for a repeated registration: ids end at 2^31', async () => {
    const device = { platform: 'fcm', token: androidToken() } as const;
    for (let time = 0; time < 3; time += 1) await system.devices.register(account, device);
    await system.devices.register(account, { platform: 'fcm', token: androidToken() });
    const ids = (await devicesOf(account)).map(({ id }) => id);
    expect(Math.max(...ids)).toBe(Math.min(...ids) + 1);
  });

  it('may be shared by accounts, and are removed from one at a time', async () => {
    const device = { platform: 'fcm', token: androidToken() } as const;
    const other = await system.addAccount();
    await system.devices.register(account, device);
    await system.devices.register(other, device);
    await system.devices.remove(account, device);
    expect(await system.tokensOf(account)).toEqual([]);
    expect(await system.tokensOf(other)).toEqual([device.token]);
  });

  it('cannot be removed twice, by another account, or from the other platform', async () => {
    const token = iphoneToken();
    const device = { platform: 'apns', token, appId: DEMO_APP_ID } as const;
    await system.devices.register(account, device);
    const other = await system.addAccount();
    const refusal = 'Token does not exist';
    await expect(system.devices.remove(other, device)).rejects.toThrow(refusal);
    await expect(system.devices.remove(account, { platform: 'fcm', token })).rejects.toThrow(
      refusal,
    );
    await system.devices.remove(account, device);
    await expect(system.devices.remove(account, device)).rejects.toThrow(refusal);
  });

  it('cannot be registered by a deactivated account', async () => {
    await system.database.prisma.user.update({
      where: { id: account.userId },
      data: { isActive: false },
    });
    const device = { platform: 'fcm', token: androidToken() } as const;
    await expect(system.devices.register(account, device)).rejects.toThrow('Invalid API key');
    expect(await devicesOf(account)).toEqual([]);
  });
});
