import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { androidToken, DEMO_APP_ID, iphoneToken } from '../support/push-tokens.js';
import { type Account, PushSystem } from './push-system.js';

let system: PushSystem;
let account: Account;

beforeAll(async () => {
  system = await PushSystem.start();
}, 20_000);

beforeEach(async () => {
  account = await system.addAccount();
});

afterAll(() => system?.stop());

const devicesOf = ({ userId }: Account) =>
  system.database.prisma.pushDevice.findMany({ where: { userId } });

describe('Push devices', () => {
  it('are kept once, however often they are registered, with the latest app', async () => {
    const token = iphoneToken();
    const device = { platform: 'apns', token: token.toUpperCase(), appId: 'org.first' } as const;
    await system.registerDevice.execute(account, device);
    const [first] = await devicesOf(account);
    await system.registerDevice.execute(account, { ...device, token, appId: DEMO_APP_ID });
    const [second, ...others] = await devicesOf(account);
    expect(second).toMatchObject({ id: first?.id, token, appId: DEMO_APP_ID });
    expect(Number(second?.registeredAt)).toBeGreaterThan(Number(first?.registeredAt));
    expect(others).toEqual([]);
  });

  it('may be shared by accounts, and are removed from one at a time', async () => {
    const device = { platform: 'fcm', token: androidToken() } as const;
    const other = await system.addAccount();
    await system.registerDevice.execute(account, device);
    await system.registerDevice.execute(other, device);
    await system.removeDevice.execute(account, device);
    expect(await system.tokensOf(account)).toEqual([]);
    expect(await system.tokensOf(other)).toEqual([device.token]);
  });

  it('cannot be removed twice, nor by somebody else, nor from the other platform', async () => {
    const token = iphoneToken();
    const device = { platform: 'apns', token, appId: DEMO_APP_ID } as const;
    await system.registerDevice.execute(account, device);
    const other = await system.addAccount();
    const refusal = 'Token does not exist';
    await expect(system.removeDevice.execute(other, device)).rejects.toThrow(refusal);
    await expect(system.removeDevice.execute(account, { platform: 'fcm', token })).rejects.toThrow(
      refusal,
    );
    await system.removeDevice.execute(account, device);
    await expect(system.removeDevice.execute(account, device)).rejects.toThrow(refusal);
  });

  it('are not taken from a deactivated account', async () => {
    await system.database.prisma.user.update({
      where: { id: account.userId },
      data: { isActive: false },
    });
    const device = { platform: 'fcm', token: androidToken() } as const;
    await expect(system.registerDevice.execute(account, device)).rejects.toThrow('Invalid API key');
    expect(await devicesOf(account)).toEqual([]);
  });
});
