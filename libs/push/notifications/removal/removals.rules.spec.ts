import { describe, expect, it } from '@jest/globals';
import { removalsOf } from './removals.rules.js';

describe(removalsOf.name, () => {
  it('makes one removal for each account', () => {
    expect(
      removalsOf([
        { userId: 7, messageId: 12 },
        { userId: 8, messageId: 9 },
        { userId: 7, messageId: 9 },
      ]),
    ).toEqual([
      { userId: 7, content: { kind: 'remove', messageIds: [9, 12] } },
      { userId: 8, content: { kind: 'remove', messageIds: [9] } },
    ]);
  });

  it.each([
    [200, 1],
    [201, 2],
    [10_000, 50],
  ])('names every message once: %i in %i removals', (count, expected) => {
    const ids = Array.from({ length: count }, (_, index) => index + 1);
    const removals = removalsOf(
      ids.toReversed().map((messageId) => ({ userId: 7, messageId })),
    ).map(({ content }) => content.messageIds);
    expect(removals).toHaveLength(expected);
    expect(removals.flat()).toEqual(ids);
  });
});
