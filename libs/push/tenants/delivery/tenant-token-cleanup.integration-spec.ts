import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { Metrics } from '#platform/telemetry';
import { TokenPruneGuard } from '#push/breakers';
import type { PushActivityStore } from '#push/observability';
import { StaleTenantDevicesRepository } from '../devices/stale-tenant-devices.repository.js';
import { addRemotePhone, addRemoteRealm, addRemoteServer } from '#test/remote-rows';
import { TokenAgeing } from '#push/delivery';
import { useDatabase } from '#test/use-fixture';
import { TenantTokenCleanup } from './tenant-token-cleanup.js';

const DAY_MS = 86_400_000;

const stores = useDatabase();
let now: number;
let guard: TokenPruneGuard;
let alarmed: { key: string }[];
let sut: TenantTokenCleanup;

beforeEach(async () => {
  now = new Date().setUTCHours(23, 30);
  guard = new TokenPruneGuard(() => now);
  alarmed = [];
  const activity = {
    workers: { recent: async () => [{ pruneAlarms: alarmed }] },
  } as unknown as PushActivityStore;
  const ages = { apns: 365 * DAY_MS, fcm: 270 * DAY_MS };
  const ageing = new TokenAgeing(guard, activity, ages);
  const rows = new StaleTenantDevicesRepository(stores.database);
  sut = new TenantTokenCleanup(rows, ageing, new Metrics());
  await prisma().remoteServer.deleteMany();
});

const prisma = () => stores.database.prisma;
const ids = async () =>
  (await prisma().remoteDevice.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id);
const daysAgo = (days: number) => new Date(now - days * DAY_MS);

describe(TenantTokenCleanup.name, () => {
  it('removes dead tokens after thirty days, and no others', async () => {
    const server = await addRemoteServer(prisma());
    const alive = await addRemotePhone(prisma(), server);
    const recent = await addRemotePhone(prisma(), server, { expiredAt: daysAgo(29) });
    await addRemotePhone(prisma(), server, { expiredAt: daysAgo(31) });
    await sut.removeStale(now);
    expect(await ids()).toEqual([alive.id, recent.id]);
  });

  it('removes what ended servers and organisations have left', async () => {
    const ended = await addRemoteServer(prisma(), { deactivatedAt: daysAgo(31) });
    await addRemoteRealm(prisma(), ended);
    await addRemotePhone(prisma(), ended);
    const ending = await addRemoteServer(prisma(), { deactivatedAt: daysAgo(29) });
    const kept = await addRemotePhone(prisma(), ending);
    const server = await addRemoteServer(prisma());
    const deleted = await addRemoteRealm(prisma(), server, { locallyDeletedAt: daysAgo(31) });
    await addRemotePhone(prisma(), server, { realmId: deleted });
    const realmId = await addRemoteRealm(prisma(), server);
    const other = await addRemotePhone(prisma(), server, { realmId });
    await sut.removeStale(now);
    expect(await ids()).toEqual([kept.id, other.id]);
    expect(await prisma().remoteRealm.findMany()).toMatchObject([{ id: realmId }]);
    expect(await prisma().remoteServer.count()).toBe(3);
  });

  it('ends old tokens, a few at a time', async () => {
    const server = await addRemoteServer(prisma());
    const realmId = await addRemoteRealm(prisma(), server);
    const sealed = await addRemotePhone(prisma(), server, {
      realmId,
      tokenId: randomBytes(8),
      refreshedAt: daysAgo(272),
    });
    const legacy = await addRemotePhone(prisma(), server, { refreshedAt: daysAgo(271) });
    const young = await addRemotePhone(prisma(), server, { refreshedAt: daysAgo(269) });
    await sut.removeStale(now);
    const rowOf = (id: number) => prisma().remoteDevice.findUnique({ where: { id } });
    expect(await rowOf(sealed.id)).toMatchObject({ expiredAt: new Date(now) });
    expect(await rowOf(legacy.id)).not.toBeNull();
    await sut.removeStale(now);
    expect(await rowOf(legacy.id)).toBeNull();
    expect(await ids()).toEqual([sealed.id, young.id]);
  });

  it('ends no tokens of an app while too many of them are called dead', async () => {
    const server = await addRemoteServer(prisma());
    const old = await addRemotePhone(prisma(), server, { refreshedAt: daysAgo(400) });
    const answer = {
      kind: 'dead_token',
      reason: 'x',
      deadSince: null,
      ofApp: false,
      isSuspect: true,
    } as const;
    for (let ownerId = 1; ownerId < 20; ownerId += 1) {
      guard.allowPrune({ platform: 'fcm', appId: null, serverId: 5, ownerId }, answer);
    }
    await sut.removeStale(now);
    expect(await ids()).toEqual([old.id]);
  });

  it('ends none either while another worker reports that', async () => {
    const server = await addRemoteServer(prisma());
    const old = await addRemotePhone(prisma(), server, { refreshedAt: daysAgo(400) });
    alarmed = [{ key: 'fcm:fcm of server 5' }];
    await sut.removeStale(now);
    expect(await ids()).toEqual([old.id]);
    alarmed = [{ key: 'apns:org.example.chat' }];
    await sut.removeStale(now);
    expect(await ids()).toEqual([]);
  });
});
