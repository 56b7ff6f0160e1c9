import { describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ConfigError } from '#platform/config';
import { PresenceClient } from '#presence/client';
import { PresenceCounters } from '#presence/metrics';
import { type PresenceService, REALM_NOT_LOADED } from '#presence/rpc';
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

  it.each([
    ['a realm that is being loaded', new Error(REALM_NOT_LOADED), 0],
    ['an outage of a store', new Error('Query read timeout'), 0],
    ['a defect', new Error('x is not a function'), 2],
  ])(
    'counts %s as a failure only if it is a defect, and logs it once',
    async (_, error, failed) => {
      const log = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
      const counters = new PresenceCounters();
      const failing = { readUser: () => Promise.reject(error) } as unknown as PresenceService;
      const server = new PresenceServer(failing, counters);
      const port = await server.listen({ host: '127.0.0.1', port: 0 });
      const addresses = [{ host: '127.0.0.1', port }];
      const client = new PresenceClient({ addresses, deadlineMs: 5000 });
      const viewer = { realmId: 1, userId: 1, isGuest: false };
      for (let call = 0; call < 2; call += 1) {
        const answer = client.readUser({ ...viewer, askedUserId: 2 });
        await expect(answer).rejects.toThrow(error.message);
      }
      expect(counters.failedCalls).toBe(failed);
      expect(log).toHaveBeenCalledTimes(Math.min(failed, 1));
      await client.close();
      await server.close();
      log.mockRestore();
    },
  );
});
