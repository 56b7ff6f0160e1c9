import { describe, expect, it } from '@jest/globals';
import { shortList } from './short-list.js';

describe(shortList.name, () => {
  it.each([
    [[], ''],
    [['a'], 'a'],
    [['a', 'b'], 'a, b'],
    [['a', 'b', 'c'], 'a, b and 1 more'],
    [[1, 2, 3, 4], '1, 2 and 2 more'],
  ])('of %j is "%s"', (names, text) => {
    expect(shortList(names, 2)).toBe(text);
  });
});
