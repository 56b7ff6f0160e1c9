import { describe, expect, it } from '@jest/globals';
import type { SystemBotRepository } from './system-bot.repository.js';
import { SystemBots } from './system-bots.js';

/** A repository that counts its calls and can fail. */
class FakeRepository {
  calls = 0;
  isFailing = false;

  findOrCreate(wanted: readonly { readonly fullName: string; readonly email: string }[]) {
    this.calls += 1;
    if (this.isFailing) return Promise.reject(new Error('The database does not answer'));
    return Promise.resolve(wanted.map((names, place) => ({ ...names, id: place + 1 })));
  }

  // SystemBots calls only this method.
  asRepository = (): SystemBotRepository => this as unknown as SystemBotRepository;
}

describe(SystemBots.name, () => {
  it('loads the bots once', async () => {
    const bots = new FakeRepository();
    const sut = new SystemBots(bots.asRepository());
    const [one, other] = await Promise.all([sut.notificationBot(), sut.welcomeBot()]);
    expect(await sut.notificationBot()).toBe(one);
    expect([one.fullName, other.fullName]).toEqual(['Notification Bot', 'Welcome Bot']);
    expect(bots.calls).toBe(1);
  });

  it('tries again after a failure', async () => {
    const bots = new FakeRepository();
    const sut = new SystemBots(bots.asRepository());
    bots.isFailing = true;
    await expect(sut.welcomeBot()).rejects.toThrow('The database does not answer');
    bots.isFailing = false;
    expect(await sut.welcomeBot()).toMatchObject({ fullName: 'Welcome Bot' });
  });
});
