import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ConfiguredProviders } from './configured-providers.js';
import type { PushActivityStore } from './push-activity.store.js';

describe(ConfiguredProviders.name, () => {
  let present: () => Promise<boolean>;
  let reads: number;
  let sut: ConfiguredProviders;

  beforeEach(() => {
    jest.useFakeTimers();
    present = () => Promise.resolve(true);
    reads = 0;
    const store: Pick<PushActivityStore, 'hasProvider'> = {
      hasProvider: () => {
        reads += 1;
        return present();
      },
    };
    // The other methods are not used.
    sut = new ConfiguredProviders(store as PushActivityStore);
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('reads Redis once in two seconds', async () => {
    expect(await sut.isConfigured()).toBe(true);
    present = () => Promise.resolve(false);
    expect(await sut.isConfigured()).toBe(true);
    expect(reads).toBe(1);
    await jest.advanceTimersByTimeAsync(2001);
    expect(await sut.isConfigured()).toBe(false);
    expect(reads).toBe(2);
  });

  it('is false until Redis has answered', async () => {
    present = () => Promise.reject(new Error('Connection is closed.'));
    expect(await sut.isConfigured()).toBe(false);
  });

  it('keeps the last answer while Redis is down', async () => {
    await sut.isConfigured();
    await jest.advanceTimersByTimeAsync(2001);
    present = () => Promise.reject(new Error('Connection is closed.'));
    expect(await sut.isConfigured()).toBe(true);
  });

  it('waits half a second at most', async () => {
    await sut.isConfigured();
    await jest.advanceTimersByTimeAsync(2001);
    present = () => new Promise(() => undefined);
    const asked = sut.isConfigured();
    await jest.advanceTimersByTimeAsync(501);
    expect(await asked).toBe(true);
  });
});
