import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConsoleLogger, Logger } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import {
  PresenceSharing,
  type PresenceVisibility,
  type SharingChange,
} from './presence-sharing.js';
import type { SettingRepository } from './setting.repository.js';
import type { SettingColumns } from './settings.rules.js';

const caller: Caller = {
  userId: 7,
  deliveryEmail: 'alice@chat.test',
  role: 400,
  isBot: false,
  isPresenceEnabled: true,
  joinedAt: 1000,
  keyGeneration: 1,
  realm: { id: 3, subdomain: '', isPresenceDisabled: false },
};

/** The collaborators of PresenceSharing. */
class Fakes {
  readonly published: SharingChange[] = [];
  isShared = false;
  isPresenceFailing = false;
  /** The values that concurrent requests store during the publications. */
  concurrentValues: boolean[] = [];

  readonly sut = new PresenceSharing(
    {
      get: (): Promise<SettingColumns> => {
        const columns = { presence_enabled: this.isShared };
        return Promise.resolve({ isEmailVisible: true, display: {}, edited: null, columns });
      },
      // PresenceSharing calls only this method.
    } as unknown as SettingRepository,
    {
      changeVisibility: (change): Promise<void> => {
        if (this.isPresenceFailing) return Promise.reject(new Error('Presence does not answer'));
        this.published.push(change);
        this.isShared = this.concurrentValues.shift() ?? this.isShared;
        return Promise.resolve();
      },
    } satisfies PresenceVisibility,
    () => 5_000_000,
  );
}

describe(PresenceSharing.name, () => {
  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(new ConsoleLogger()));

  it('publishes the change', async () => {
    const { sut, published } = new Fakes();
    await sut.publish(caller, false);
    expect(published).toEqual([
      { realmId: 3, userId: 7, joinedAt: 1000, isVisible: false, changedAt: 5000 },
    ]);
  });

  it('succeeds when the publication fails', async () => {
    const fakes = new Fakes();
    fakes.isPresenceFailing = true;
    await expect(fakes.sut.publish(caller, false)).resolves.toBeUndefined();
    expect(fakes.published).toEqual([]);
  });

  it('publishes again when a concurrent request stored another value', async () => {
    const fakes = new Fakes();
    fakes.concurrentValues = [true];
    await fakes.sut.publish(caller, false);
    expect(fakes.published.map(({ isVisible }) => isVisible)).toEqual([false, true]);
  });

  it('stops after three publications', async () => {
    const fakes = new Fakes();
    fakes.concurrentValues = [true, false, true, false, true];
    await fakes.sut.publish(caller, false);
    expect(fakes.published).toHaveLength(3);
  });
});
