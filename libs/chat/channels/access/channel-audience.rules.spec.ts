import { describe, expect, it } from '@jest/globals';
import { listedIn } from './channel-audience.rules.js';

const audience = (holderIds: number[], subscriberIds: number[]) => ({
  channelId: 1,
  isArchived: false,
  everyone: null,
  holderIds,
  subscriberIds,
});

describe(listedIn.name, () => {
  it.each([
    [[], [], []],
    [[3], [], [3]],
    [[], [3], [3]],
    [
      [1, 4, 9],
      [2, 4, 7],
      [1, 2, 4, 7, 9],
    ],
    [
      [1, 2],
      [5, 6],
      [1, 2, 5, 6],
    ],
    [
      [5, 6],
      [1, 2],
      [1, 2, 5, 6],
    ],
    [
      [2, 3],
      [2, 3],
      [2, 3],
    ],
  ])('of %j and %j is %j', (holders, subscribers, expected) => {
    expect(listedIn(audience(holders, subscribers))).toEqual(expected);
  });
});
