import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { RateLimits } from '#platform/rate-limits';
import { Metrics } from '#platform/telemetry';
import type { OutcomeCounter } from '#push/observability';
import { addRemotePhone, addRemoteServer } from '#test/remote-rows';
import { useDatabase } from '#test/use-fixture';
import type { TenantOptions } from '../tenant-options.js';
import { LimitedServers } from '../servers/limited-servers.js';
import type { Tenant } from '../servers/tenant.repository.js';
import { TenantAcceptance } from './tenant-acceptance.js';
import { TenantAcceptanceRepository } from './tenant-acceptance.repository.js';
import { TenantContentSealer } from './tenant-content-sealer.js';

const HOUR_MS = 3_600_000;
const content = { apnsUrgency: null, payload: { event: 'message' } };

const stores = useDatabase();

afterEach(() => void jest.restoreAllMocks());

describe(TenantAcceptance.name, () => {
  it.each([
    ['a message', false, 600_000],
    ['a removal', true, 24 * HOUR_MS],
  ])('gives %s its time to live, although the clock is behind', async (_, isSilent, livesMs) => {
    const { prisma } = stores.database;
    const serverId = await addRemoteServer(prisma);
    const { id: deviceId } = await addRemotePhone(prisma, serverId);
    const ofServers = jest.fn();
    const sut = new TenantAcceptance(
      new TenantAcceptanceRepository(stores.database),
      new TenantContentSealer(Buffer.alloc(32)),
      { charge: async () => undefined } as unknown as RateLimits,
      new LimitedServers(new Metrics()),
      { ofServers } as unknown as OutcomeCounter,
      { timeToLiveMs: 600_000 } as TenantOptions,
    );
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 25 * HOUR_MS);
    const push = { deviceId, platform: 'fcm', content: { ...content, isSilent } } as const;
    await sut.accept({ serverId, pushLimit: null } as Tenant, [push]);
    const row = await prisma.remoteDelivery.findFirstOrThrow({ where: { serverId } });
    expect(row.expiresAt.getTime() - row.acceptedAt.getTime()).toBe(livesMs);
    expect(ofServers.mock.calls).toEqual([['fcm', 'accepted']]);
  });
});
