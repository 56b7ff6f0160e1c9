import { describe, expect, it } from '@jest/globals';
import type { AuthVersionStore } from '#directory/auth';
import { ActivationAnnouncer } from './activation-announcer.js';

describe(ActivationAnnouncer.name, () => {
  it('raises the versions of changed accounts, and silences the phones of deactivated ones', async () => {
    const raised: unknown[] = [];
    const silenced: unknown[] = [];
    const versions = {
      raiseAll: async (changed: unknown) => void raised.push(changed),
    } as unknown as AuthVersionStore;
    const sut = new ActivationAnnouncer(versions, {
      revoke: async () => undefined,
      silence: async (userIds) => void silenced.push(userIds),
    });
    const changed = [
      { userId: 5, version: 2 },
      { userId: 8, version: 4 },
    ];
    await sut.deactivated(changed);
    expect({ raised, silenced }).toEqual({ raised: [changed], silenced: [[5, 8]] });
    await sut.reactivated(changed);
    expect({ raised, silenced }).toEqual({ raised: [changed, changed], silenced: [[5, 8]] });
  });
});
