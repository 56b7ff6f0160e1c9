import { describe, expect, it } from '@jest/globals';
import type { SystemBotRepository } from './system-bot.repository.js';
import { SystemBots } from './system-bots.js';

/** A repository that fails until it is mended, and counts how often it is asked. */
class Bots {
  asked = 0;
  isAway = false;

  findOrCreate(wanted: readonly { readonly fullName: string; readonly email: string }[]) {
    this.asked += 1;
    if (this.isAway) return Promise.reject(new Error('The database is away'));
    return Promise.resolve(wanted.map((names, place) => ({ ...names, id: place + 1 })));
  }

  // The one method is all that is called.
  asRepository = (): SystemBotRepository => this as unknown as SystemBotRepository;
}

describe(SystemBots.name, () => {
  it('reads its bots once', async () => {
    const bots = new Bots();
    const sut = new SystemBots(bots.asRepository());
    const [one, other] = await Promise.all([sut.notificationBot(), sut.welcomeBot()]);
    expect(await sut.notificationBot()).toBe(one);
    expect([one.fullName, other.fullName]).toEqual(['Notification Bot', 'Welcome Bot']);
    expect(bots.asked).toBe(1);
  });

  it('tries again when it could not', async () => {
    const bots = new Bots();
    const sut = new SystemBots(bots.asRepository());
    bots.isAway = true;
    await expect(sut.welcomeBot()).rejects.toThrow('The database is away');
    bots.isAway = false;
    expect(await sut.welcomeBot()).toMatchObject({ fullName: 'Welcome Bot' });
  });
});
