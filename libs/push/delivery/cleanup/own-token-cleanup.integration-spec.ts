import { beforeEach, describe, expect, it } from '@jest/globals';
import { Metrics } from '#platform/telemetry';
import { TokenPruneGuard } from '#push/breakers';
import { ClientDevicesService, ClientTokens, DeviceAgeRepository } from '#push/devices';
import { PushBacklog, type PushActivityStore } from '#push/observability';
import { PushRegistrationRepository } from '#push/tokens';
import { PushRegistrations } from '#test/push-registrations';
import { type Account, usePushSystem } from '#test/push-system';
import { androidToken, iphoneToken } from '#test/push-tokens';
import { OwnTokenCleanup } from './own-token-cleanup.js';
import { TokenAgeing } from './token-ageing.js';

const DAY_MS = 86_400_000;
const TOKEN_ID = Buffer.from('6162636465666768', 'hex');

const system = usePushSystem();
let account: Account;
/** The last hour of a day has the share of an app with few tokens. */
const now = new Date().setUTCHours(23, 30);

beforeEach(async () => {
  await prisma().user.deleteMany();
  await prisma().pushRegistration.deleteMany();
  account = await system.addAccount();
});

const prisma = () => system.database.prisma;
const daysAgo = (days: number) => new Date(now - days * DAY_MS);

/** `alarms` are those that another worker reports. */
function cleanup(alarms: readonly string[] = []) {
  const clock = () => now;
  const reports = [{ pruneAlarms: alarms.map((key) => ({ key })) }];
  const activity = { workers: { recent: async () => reports } } as unknown as PushActivityStore;
  const ages = { apns: 365 * DAY_MS, fcm: 270 * DAY_MS };
  const ageing = new TokenAgeing(new TokenPruneGuard(clock), activity, ages);
  const { database } = system;
  const registrations = new PushRegistrationRepository(database);
  const devices = system.service(ClientDevicesService);
  const clients = new ClientTokens(registrations, devices, database);
  const phones = new DeviceAgeRepository(database);
  return new OwnTokenCleanup(phones, clients, ageing, new Metrics());
}

async function addPhone(platform: 'apns' | 'fcm', days: number): Promise<string> {
  const token = platform === 'apns' ? iphoneToken() : androidToken();
  const appId = platform === 'apns' ? 'org.example.chat' : undefined;
  await system.devices.register(account, { platform, token, appId });
  await prisma().pushDevice.updateMany({ where: { token }, data: { registeredAt: daysAgo(days) } });
  return token;
}

/** A client device whose token was registered so many days ago. */
async function addClientDevice(days: number): Promise<number> {
  const { realmId } = system;
  const token = { realmId, tokenId: TOKEN_ID, platform: 'fcm', token: 'abc' };
  await prisma().pushRegistration.create({
    data: { ...token, tokenDigest: new Uint8Array(32), refreshedAt: daysAgo(days) },
  });
  const { userId, keyGeneration } = account;
  const { id } = await prisma().clientDevice.create({
    data: {
      realmId,
      userId,
      keyGeneration,
      platform: 'fcm',
      pushTokenId: TOKEN_ID,
      tokenUpdatedAt: daysAgo(days),
    },
  });
  return id;
}

describe(OwnTokenCleanup.name, () => {
  it('removes old tokens of phones, the oldest first', async () => {
    const kept = await addPhone('fcm', 269);
    await addPhone('fcm', 272);
    const old = await addPhone('fcm', 271);
    const apple = await addPhone('apns', 364);
    await cleanup().removeStale(now);
    expect(await system.tokensOf(account)).toEqual([kept, old, apple].toSorted());
    await cleanup().removeStale(now);
    expect(await system.tokensOf(account)).toEqual([kept, apple].toSorted());
    await cleanup().removeStale(now);
    expect(await system.tokensOf(account)).toEqual([kept, apple].toSorted());
  });

  it('takes an old token from client devices, and keeps the devices', async () => {
    const id = await addClientDevice(271);
    await cleanup().removeStale(now);
    expect(await prisma().pushRegistration.count()).toBe(0);
    expect(await prisma().clientDevice.findUnique({ where: { id } })).toMatchObject({
      pushTokenId: null,
    });
    expect(await new PushRegistrations(system).eventsOf(account)).toEqual([
      { op: 'update', device_id: id, push_token_id: null },
    ]);
  });

  it('removes none of an app while a worker has an alarm for it', async () => {
    const apple = await addPhone('apns', 400);
    await addPhone('fcm', 400);
    await cleanup(['apns:org.example.chat']).removeStale(now);
    expect(await system.tokensOf(account)).toEqual([apple]);
  });
});

describe(PushBacklog.name, () => {
  it('counts phones without a registration for two months apart', async () => {
    await addPhone('fcm', 59);
    await addPhone('fcm', 62);
    await addClientDevice(400);
    expect(await new PushBacklog(system.database).phones()).toEqual([
      { platform: 'apns', active: 0, stale: 0 },
      { platform: 'fcm', active: 1, stale: 2 },
      { platform: 'web', active: 0, stale: 0 },
    ]);
  });
});
