import { describe, expect, it } from '@jest/globals';
import { UnderWay } from './under-way.js';

describe(UnderWay.name, () => {
  it('ends at once when nothing is under way', async () => {
    await expect(new UnderWay().end()).resolves.toBeUndefined();
  });

  it('ends after the last, also when that fails', async () => {
    const sut = new UnderWay();
    const events: string[] = [];
    const first = sut.run(async () => events.push('first'));
    const last = sut.run(async () => {
      await first;
      await Promise.resolve();
      events.push('last');
      throw new Error('failed');
    });
    await Promise.all([
      sut.end().then(() => events.push('end')),
      expect(last).rejects.toThrow('failed'),
    ]);
    expect(events).toEqual(['first', 'last', 'end']);
  });
});
