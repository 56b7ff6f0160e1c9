import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '#platform/config';
import type { PresenceService } from '#platform/contracts';
import { PresenceServer } from './presence-server.js';

// Nothing connects, so no call reaches it.
const service = {} as PresenceService;

describe(PresenceServer.name, () => {
  it('names the variable of an address that cannot be used', async () => {
    const first = new PresenceServer(service);
    const port = await first.listen({ host: '127.0.0.1', port: 0 });
    const inUse = new PresenceServer(service).listen({ host: '127.0.0.1', port });
    await expect(inUse).rejects.toThrow(ConfigError);
    await expect(inUse).rejects.toThrow('PRESENCE_PORT: ');
    await first.close();
    const foreign = new PresenceServer(service).listen({ host: '192.0.2.1', port: 0 });
    await expect(foreign).rejects.toThrow('PRESENCE_HOST: ');
  });
});
