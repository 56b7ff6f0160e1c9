import { describe, expect, it } from '@jest/globals';
import type { RateLimits } from '#platform/rate-limits';
import type { PushRevocations } from '#push/revocations';
import type { TenantOptions } from '../tenant-options.js';
import type { TenantRepository } from './tenant.repository.js';
import { ServerRegistrationService } from './server-registration.service.js';

describe(ServerRegistrationService.name, () => {
  it('announces the end of a registration when it is stored', async () => {
    const events: string[] = [];
    const servers = {
      deactivate: async (id: number) => void events.push(`deactivated ${id}`),
    } as unknown as TenantRepository;
    const revocations = {
      revokeSender: async (kind: string, id: number) => void events.push(`revoked ${kind} ${id}`),
    } as unknown as PushRevocations;
    const sut = new ServerRegistrationService(
      servers,
      {} as RateLimits,
      revocations,
      {} as TenantOptions,
    );
    await sut.deactivate({ serverId: 7 });
    expect(events).toEqual(['deactivated 7', 'revoked server 7']);
  });
});
