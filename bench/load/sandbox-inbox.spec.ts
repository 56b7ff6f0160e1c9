import { describe, expect, it } from '@jest/globals';
import { lossesIn } from './sandbox-inbox.js';

describe(lossesIn.name, () => {
  const on = (token: string, status: number | null = 200) => ({ token, status });

  it('counts phones without a push, and pushes beyond one', () => {
    expect(lossesIn([on('a'), on('b'), on('a'), on('a')], 4)).toEqual({ lost: 2, twice: 2 });
  });

  it('counts no push that was refused or not answered', () => {
    const deliveries = [on('a', 429), on('a', 201), on('b', null), on('b', 503)];
    expect(lossesIn(deliveries, 2)).toEqual({ lost: 1, twice: 0 });
  });
});
