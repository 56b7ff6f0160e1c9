import { describe, expect, it } from '@jest/globals';
import { arrivalTimes } from './latency.rules.js';

describe(arrivalTimes.name, () => {
  it('matches requests and arrivals of a phone in order', () => {
    const asked = [
      { token: 'a', at: 200 },
      { token: 'b', at: 100 },
      { token: 'a', at: 0 },
    ];
    const shown = [
      { token: 'a', at: 260 },
      { token: 'a', at: 50 },
      { token: 'b', at: 170 },
    ];

    expect(arrivalTimes(asked, shown)).toEqual({ times: [50, 70, 60], missing: 0 });
  });

  it('counts notifications that were not shown', () => {
    const asked = [
      { token: 'a', at: 0 },
      { token: 'a', at: 10 },
    ];

    expect(arrivalTimes(asked, [{ token: 'a', at: 30 }])).toEqual({ times: [30], missing: 1 });
  });

  it('ignores other phones', () => {
    expect(arrivalTimes([{ token: 'a', at: 0 }], [{ token: 'b', at: 30 }])).toEqual({
      times: [],
      missing: 1,
    });
  });
});
