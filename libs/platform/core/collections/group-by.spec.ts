import { describe, expect, it } from '@jest/globals';
import { groupBy } from './group-by.js';

describe(groupBy.name, () => {
  it('keeps the order of groups and of items', () => {
    expect([...groupBy(['b1', 'a1', 'b2'], ([letter]) => letter)]).toEqual([
      ['b', ['b1', 'b2']],
      ['a', ['a1']],
    ]);
  });
});
