import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConsoleLogger, Logger } from '@nestjs/common';
import type { AuthVersionStore, BumpedAuthVersion } from '#directory/auth';
import type { Caller, VisibilityChange } from '#platform/contracts';
import { PresenceSharing, type PresenceVisibility } from './presence-sharing.js';
import type { SettingRepository } from './setting.repository.js';

const caller: Caller = {
  userId: 7,
  deliveryEmail: 'alice@chat.test',
  role: 400,
  isBot: false,
  isPresenceEnabled: true,
  joinedAt: 1000,
  keyGeneration: 1,
  realm: { id: 3, subdomain: '', name: 'Test', isPresenceDisabled: false },
};

/** The collaborators of PresenceSharing, with a log of their calls. */
class Fakes {
  readonly log: string[] = [];
  readonly published: VisibilityChange[] = [];
  isShared = true;
  isPresenceFailing = false;
  /** The values that concurrent requests store during the publications. */
  concurrentValues: boolean[] = [];

  readonly sut = new PresenceSharing(
    {
      sharePresence: (_userId: number, isEnabled: boolean): Promise<BumpedAuthVersion[]> => {
        this.log.push('stored');
        const isChange = this.isShared !== isEnabled;
        this.isShared = isEnabled;
        return Promise.resolve(isChange ? [{ userId: 7, version: 2 }] : []);
      },
      sharesPresence: () => Promise.resolve(this.isShared),
      // PresenceSharing calls only these two methods.
    } as unknown as SettingRepository,
    {
      raiseAll: (changed: readonly BumpedAuthVersion[]): Promise<void> => {
        this.log.push(`raised to ${changed.map(({ version }) => version).join()}`);
        return Promise.resolve();
      },
      // PresenceSharing calls only this method.
    } as unknown as AuthVersionStore,
    {
      changeVisibility: (change): Promise<void> => {
        this.log.push(change.isVisible ? 'shown' : 'hidden');
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

  it('stores the setting, raises the version, then publishes the change', async () => {
    const { sut, log, published } = new Fakes();
    await sut.set(caller, false);
    expect(log).toEqual(['stored', 'raised to 2', 'hidden']);
    expect(published).toEqual([
      { realmId: 3, userId: 7, joinedAt: 1000, isVisible: false, changedAt: 5000 },
    ]);
  });

  it('publishes nothing for the current value', async () => {
    const { sut, log } = new Fakes();
    await sut.set(caller, true);
    expect(log).toEqual(['stored']);
  });

  it('succeeds when the publication fails', async () => {
    const fakes = new Fakes();
    fakes.isPresenceFailing = true;
    await expect(fakes.sut.set(caller, false)).resolves.toBeUndefined();
    expect(fakes.isShared).toBe(false);
  });

  it('publishes again when a concurrent request stored another value', async () => {
    const fakes = new Fakes();
    fakes.concurrentValues = [true];
    await fakes.sut.set(caller, false);
    expect(fakes.published.map(({ isVisible }) => isVisible)).toEqual([false, true]);
  });

  it('stops after three publications', async () => {
    const fakes = new Fakes();
    fakes.concurrentValues = [true, false, true, false, true];
    await fakes.sut.set(caller, false);
    expect(fakes.published).toHaveLength(3);
  });
});
