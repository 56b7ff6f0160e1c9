import { describe, expect, it } from '@jest/globals';
import type { AuthVersionStore } from '#directory/auth';
import { ActivationAnnouncer } from './activation-announcer.js';

describe(ActivationAnnouncer.name, () => {
  it('raises the versions of changed accounts, and stops deliveries to deactivated ones', async () => {
    const raised: unknown[] = [];
    const stopped: unknown[] = [];
    const versions = {
      raiseAll: async (changed: unknown) => void raised.push(changed),
    } as unknown as AuthVersionStore;
    const sut = new ActivationAnnouncer(versions, {
      revoke: async () => undefined,
      stopDeliveries: async (userIds) => void stopped.push(userIds),
    });
    const changed = [
      { userId: 5, version: 2 },
      { userId: 8, version: 4 },
    ];
    await sut.deactivated(changed);
    expect({ raised, stopped }).toEqual({ raised: [changed], stopped: [[5, 8]] });
    await sut.reactivated(changed);
    expect({ raised, stopped }).toEqual({
      raised: [changed, changed],
      stopped: [[5, 8]],
    });
  });
});
