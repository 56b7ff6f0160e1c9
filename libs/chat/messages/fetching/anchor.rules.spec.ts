import { describe, expect, it } from '@jest/globals';
import {
  anchorOf,
  checkRange,
  foundRange,
  type AnchorInput,
  NEWEST,
  withinRange,
} from './anchor.rules.js';

describe(anchorOf.name, () => {
  const date = new Date(0);
  const anchorDate = (anchor_date: string) => ({ anchor: 'date', anchor_date });

  it.each<[AnchorInput, unknown]>([
    [{ anchor: 'newest' }, { id: NEWEST }],
    [{ anchor: 'oldest' }, { id: 0 }],
    [{ anchor: 'first_unread' }, 'first_unread'],
    [{ anchor: '12' }, { id: 12 }],
    [{ anchor: '-5' }, { id: 0 }],
    [{ anchor: '10000000000000000' }, { id: NEWEST }],
    [{ anchor: '9'.repeat(400) }, { id: NEWEST }],
    [{ anchor: '0', use_first_unread_anchor: true }, 'first_unread'],
    [{ anchor: undefined, use_first_unread_anchor: true }, 'first_unread'],
    [anchorDate('1970-01-01'), { date }],
    [anchorDate('1970-01-01T00:00:00'), { date }],
    [anchorDate('1970-01-01 01:00+01:00'), { date }],
    [anchorDate('1970-01-01T00:00:00.000000Z'), { date }],
  ])('reads %j', (given, expected) => {
    expect(anchorOf(given)).toEqual(expected);
  });

  it.each<[string | undefined, string]>([
    [undefined, "Missing 'anchor' argument."],
    ['date', "Missing 'anchor_date' argument."],
    ['', 'Invalid anchor'],
    ['1.5', 'Invalid anchor'],
    ['Newest', 'Invalid anchor'],
  ])('refuses %j', (anchor, msg) => {
    expect(() => anchorOf({ anchor })).toThrow(msg);
  });
});

describe('anchor_date', () => {
  it.each(['', 'soon', '1970', '1970-13-01', '1970-01-01T25:00'])('refuses %j', (anchor_date) => {
    expect(() => anchorOf({ anchor: 'date', anchor_date })).toThrow('Invalid anchor_date');
  });
});

describe(checkRange.name, () => {
  it('refuses only a range on both sides without its anchor', () => {
    const without = { isAnchorIncluded: false };
    expect(() => checkRange({ before: 1, after: 1, ...without })).toThrow('The anchor can only be');
    expect(() => checkRange({ before: 1, after: 1, isAnchorIncluded: true })).not.toThrow();
    expect(() => checkRange({ before: 1, after: 0, ...without })).not.toThrow();
  });
});

describe(withinRange.name, () => {
  it('takes the nearest messages on both sides', () => {
    const range = { anchor: 4, before: 2, after: 1, isAnchorIncluded: true };
    expect(withinRange(range, [1, 2, 3, 4, 5, 6])).toEqual([2, 3, 4, 5]);
  });
});

describe(foundRange.name, () => {
  const size = { before: 2, after: 2, isAnchorIncluded: true };

  it.each([
    [5, [3, 4, 5, 6, 7], [true, false, false]],
    [5, [4, 6, 7], [false, true, false]],
    [5, [3, 4, 5, 6], [true, false, true]],
    [0, [1, 2], [false, true, false]],
    [NEWEST, [1, 2], [false, false, true]],
  ])('knows the ends around %s', (anchor, ids, [foundAnchor, foundOldest, foundNewest]) => {
    const range = { ...size, anchor };
    expect(foundRange(range, ids)).toEqual({ foundAnchor, foundOldest, foundNewest });
  });
});
