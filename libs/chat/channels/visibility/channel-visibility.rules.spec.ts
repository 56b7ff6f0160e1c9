import { describe, expect, it } from '@jest/globals';
import { visibilityChanges } from './channel-visibility.rules.js';

describe(visibilityChanges.name, () => {
  it.each<[[number, number[]][], [number, number[]][], object[]]>([
    [[], [], []],
    [[[1, [5, 6]]], [[1, [5, 6]]], []],
    [[[1, [5, 6]]], [[1, [6, 7]]], [{ channelId: 1, gained: [7], lost: [5] }]],
    [[[1, [5]]], [], [{ channelId: 1, gained: [], lost: [5] }]],
    [[], [[2, [5]]], [{ channelId: 2, gained: [5], lost: [] }]],
  ])('compares %j with %j', async (before, after, changes) => {
    expect(await visibilityChanges(new Map(before), new Map(after))).toEqual(changes);
  });
});
