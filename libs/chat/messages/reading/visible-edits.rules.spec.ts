import { describe, expect, it } from '@jest/globals';
import { earlierChannelsOf, visibleEdits } from './visible-edits.rules.js';

const edits = [null, 2, null, 1, null].map((prevChannelId, index) => ({ index, prevChannelId }));

describe(visibleEdits.name, () => {
  it.each([
    [[1, 2], 5],
    [[2], 3],
    [[1], 1],
    [[], 1],
  ])('of a reader of the channels %j are the newest %i', (readable, count) => {
    expect(visibleEdits(edits, new Set(readable))).toEqual(edits.slice(0, count));
  });
});

describe(earlierChannelsOf.name, () => {
  it('names each channel once', () => {
    expect(earlierChannelsOf([...edits, ...edits])).toEqual([2, 1]);
  });
});
