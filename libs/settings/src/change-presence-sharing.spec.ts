import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConsoleLogger, Logger } from '@nestjs/common';
import type { AuthVersionStore, OutdatedSignIn } from '#auth';
import type { Caller, PresenceService, VisibilityChange } from '#contracts';
import { ChangePresenceSharing } from './change-presence-sharing.js';
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

/** Everything that the use case speaks to, and in which order it did. */
class Surroundings {
  readonly log: string[] = [];
  readonly told: VisibilityChange[] = [];
  isShared = true;
  isPresenceBroken = false;
  /** What another request makes of the setting while presence is being told. */
  crossing: boolean[] = [];

  readonly sut = new ChangePresenceSharing(
    {
      sharePresence: (_userId: number, isEnabled: boolean): Promise<OutdatedSignIn[]> => {
        this.log.push('stored');
        const isChange = this.isShared !== isEnabled;
        this.isShared = isEnabled;
        return Promise.resolve(isChange ? [{ userId: 7, version: 2 }] : []);
      },
      sharesPresence: () => Promise.resolve(this.isShared),
      // The two methods are all that it is.
    } as unknown as SettingRepository,
    {
      raiseAll: (changed: readonly OutdatedSignIn[]): Promise<void> => {
        this.log.push(`raised to ${changed.map(({ version }) => version).join()}`);
        return Promise.resolve();
      },
      // Nothing else of it is used.
    } as unknown as AuthVersionStore,
    {
      report: () => Promise.reject(new Error('Not asked for')),
      readRealm: () => Promise.reject(new Error('Not asked for')),
      readUser: () => Promise.reject(new Error('Not asked for')),
      changeVisibility: (change): Promise<void> => {
        this.log.push(change.isVisible ? 'shown' : 'hidden');
        if (this.isPresenceBroken) return Promise.reject(new Error('Presence is broken'));
        this.told.push(change);
        this.isShared = this.crossing.shift() ?? this.isShared;
        return Promise.resolve();
      },
    } satisfies PresenceService,
    () => 5_000_000,
  );
}

describe(ChangePresenceSharing.name, () => {
  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(new ConsoleLogger()));

  it('stores the setting, then tells the gateways, then presence', async () => {
    const { sut, log, told } = new Surroundings();
    await sut.execute(caller, false);
    expect(log).toEqual(['stored', 'raised to 2', 'hidden']);
    expect(told).toEqual([
      { realmId: 3, userId: 7, joinedAt: 1000, isVisible: false, changedAt: 5000 },
    ]);
  });

  it('tells nobody when nothing has changed', async () => {
    const { sut, log } = new Surroundings();
    await sut.execute(caller, true);
    expect(log).toEqual(['stored']);
  });

  it('succeeds while presence is broken', async () => {
    const surroundings = new Surroundings();
    surroundings.isPresenceBroken = true;
    await expect(surroundings.sut.execute(caller, false)).resolves.toBeUndefined();
    expect(surroundings.isShared).toBe(false);
  });

  it('tells presence again what another request has made of it meanwhile', async () => {
    const surroundings = new Surroundings();
    surroundings.crossing = [true];
    await surroundings.sut.execute(caller, false);
    expect(surroundings.told.map(({ isVisible }) => isVisible)).toEqual([false, true]);
  });

  it('does not tell it for ever', async () => {
    const surroundings = new Surroundings();
    surroundings.crossing = [true, false, true, false, true];
    await surroundings.sut.execute(caller, false);
    expect(surroundings.told).toHaveLength(3);
  });
});
