import { describe, expect, it } from '@jest/globals';
import type { PushRevocations } from '#push/revocations';
import type { ServerRegistrationService } from './server-registration.service.js';
import { RemoteServersController } from './servers.controller.js';

describe(RemoteServersController.name, () => {
  it('announces the end of a registration when it is stored', async () => {
    const events: string[] = [];
    const registrations = {
      deactivate: async () => void events.push('deactivated'),
    } as unknown as ServerRegistrationService;
    const revocations = {
      revokeSender: async (kind: string, id: number) => void events.push(`revoked ${kind} ${id}`),
    } as unknown as PushRevocations;
    await new RemoteServersController(registrations, revocations).deactivate({ serverId: 7 });
    expect(events).toEqual(['deactivated', 'revoked server 7']);
  });
});
