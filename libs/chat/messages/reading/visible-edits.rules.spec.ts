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
    const shared = new Map(readable.map((id) => [id, true]));
    expect(visibleEdits(edits, shared, null)).toEqual(edits.slice(0, count));
  });

  it.each([
    [null, 1],
    [{ isHistorical: true, isMovedIn: false }, 1],
    [{ isHistorical: false, isMovedIn: true }, 1],
    [{ isHistorical: false, isMovedIn: false }, 5],
  ])(
    'of a reader of channels that hide their history, with the row %j, are the newest %i',
    (row, count) => {
      const hiding = new Map([1, 2].map((id) => [id, false]));
      expect(visibleEdits(edits, hiding, row)).toEqual(edits.slice(0, count));
    },
  );
});

describe(earlierChannelsOf.name, () => {
  it('names each channel once', () => {
    expect(earlierChannelsOf([...edits, ...edits])).toEqual([2, 1]);
  });
});
