import { describe, expect, it } from '@jest/globals';
import { isMessageId, isRowId } from './row-id.js';

describe(isRowId.name, () => {
  it.each([
    [-1, false],
    [0, false],
    [1, true],
    [2_147_483_647, true],
    [2_147_483_648, false],
  ])('is for %d: %s', (id, expected) => {
    expect(isRowId(id)).toBe(expected);
  });
});

describe(isMessageId.name, () => {
  it.each([
    [-1, false],
    [0, false],
    [1, true],
    [2_147_483_648, true],
    [Number.MAX_SAFE_INTEGER, true],
    [2 ** 53, false],
    [1.5, false],
  ])('is for %d: %s', (id, expected) => {
    expect(isMessageId(id)).toBe(expected);
  });
});
