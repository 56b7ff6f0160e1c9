import { describe, expect, it } from '@jest/globals';
import { InFlightTracker } from './in-flight-tracker.js';

describe(InFlightTracker.name, () => {
  it('resolves at once when no work is running', async () => {
    await expect(new InFlightTracker().idle()).resolves.toBeUndefined();
  });

  it('resolves after the last work, also if that fails', async () => {
    const sut = new InFlightTracker();
    const events: string[] = [];
    const first = sut.run(async () => events.push('first'));
    const last = sut.run(async () => {
      await first;
      await Promise.resolve();
      events.push('last');
      throw new Error('failed');
    });
    await Promise.all([
      sut.idle().then(() => events.push('end')),
      expect(last).rejects.toThrow('failed'),
    ]);
    expect(events).toEqual(['first', 'last', 'end']);
  });
});
