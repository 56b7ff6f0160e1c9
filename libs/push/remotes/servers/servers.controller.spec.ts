import { describe, expect, it } from '@jest/globals';
import type { ServerRegistrationService } from './server-registration.service.js';
import type { ServerStops } from './server-stops.js';
import { RemoteServersController } from './servers.controller.js';

describe(RemoteServersController.name, () => {
  it('announces the end of a registration when it is stored', async () => {
    const events: string[] = [];
    const registrations = {
      deactivate: async () => void events.push('deactivated'),
    } as unknown as ServerRegistrationService;
    const stops = {
      announce: async (kind: string, id: number) => void events.push(`announced ${kind} ${id}`),
    } as unknown as ServerStops;
    await new RemoteServersController(registrations, stops).deactivate({ serverId: 7 });
    expect(events).toEqual(['deactivated', 'announced server 7']);
  });
});
