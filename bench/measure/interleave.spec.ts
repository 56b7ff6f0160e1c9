import { describe, expect, it } from '@jest/globals';
import { inTurn } from './interleave.js';

describe(inTurn.name, () => {
  it('lets each design work in each round, and takes the medians', async () => {
    const order: string[] = [];
    const design = (name: string, rates: number[]) => () => {
      order.push(name);
      return Promise.resolve(rates.shift() ?? Number.NaN);
    };
    const rates = await inTurn(3, { one: design('one', [5, 1, 3]), two: design('two', [9, 7, 8]) });
    expect(rates).toEqual({ one: 3, two: 8 });
    expect(order).toEqual(['one', 'two', 'one', 'two', 'one', 'two']);
  });
});
