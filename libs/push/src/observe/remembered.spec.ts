import { describe, expect, it } from '@jest/globals';
import { remembered } from './remembered.js';

const HOUR_MS = 3_600_000;

describe(remembered.name, () => {
  it('looks once for all who ask within the time', async () => {
    let looks = 0;
    const sut = remembered({ forMs: HOUR_MS, timesItsCost: 0 }, async () => ++looks);
    expect(await Promise.all([sut(), sut()])).toEqual([1, 1]);
    expect(await sut()).toBe(1);
  });

  it('looks again after the time', async () => {
    let looks = 0;
    const sut = remembered({ forMs: 0, timesItsCost: 0 }, async () => ++looks);
    expect([await sut(), await sut()]).toEqual([1, 2]);
  });

  it('looks more rarely when a look costs much', async () => {
    let looks = 0;
    const sut = remembered({ forMs: 0, timesItsCost: 1e9 }, async () => {
      await new Promise(setImmediate);
      return ++looks;
    });
    expect([await sut(), await sut()]).toEqual([1, 1]);
  });

  it('does not begin a second look while the first is under way', async () => {
    let looks = 0;
    let end: () => void = () => undefined;
    const sut = remembered({ forMs: 0, timesItsCost: 0 }, async () => {
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      return ++looks;
    });
    const both = Promise.all([sut(), sut()]);
    end();
    expect(await both).toEqual([1, 1]);
  });

  it('tells everyone who waits of a failure, and then looks again', async () => {
    let looks = 0;
    const sut = remembered({ forMs: HOUR_MS, timesItsCost: 0 }, async () => {
      looks += 1;
      if (looks === 1) throw new Error('away');
      return looks;
    });
    const both = await Promise.allSettled([sut(), sut()]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await sut()).toBe(2);
  });
});
