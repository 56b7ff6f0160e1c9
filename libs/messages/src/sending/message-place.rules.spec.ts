import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { conversationKey, membersOf, recipientId } from './message-place.rules.js';

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 2_147_483_647 }), { minLength: 1 });

describe(membersOf.name, () => {
  it('names everyone once, by number, its sender too', () => {
    expect(membersOf(5, [12, 3, 12, 100])).toEqual([3, 5, 12, 100]);
    expect(membersOf(5, [5])).toEqual([5]);
  });

  it('is the same whoever of them sends', () => {
    fc.assert(
      fc.property(ids, (people) => {
        const [sender = 1, ...others] = people;
        const other = others[0] ?? sender;
        expect(membersOf(sender, people)).toEqual(membersOf(other, people));
      }),
    );
  });
});

describe(conversationKey.name, () => {
  it('is the numbers of a few', () => {
    expect(conversationKey([3, 5, 12])).toBe('3,5,12');
  });

  it('fits an index entry for as many as there may be', () => {
    const crowd = Array.from({ length: 1001 }, (_, index) => 2_000_000_000 + index);
    expect(conversationKey(crowd)).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(conversationKey(crowd)).toBe(conversationKey([...crowd]));
    expect(conversationKey(crowd)).not.toBe(conversationKey(crowd.slice(1)));
    const some = crowd.slice(0, 181);
    expect(conversationKey(some)).toBe(some.join(','));
    expect(conversationKey(some).length).toBeLessThanOrEqual(2000);
  });
});

describe(recipientId.name, () => {
  it('never gives two places the same', () => {
    fc.assert(
      fc.property(ids, ids, (channels, conversations) => {
        const given = [
          ...channels.map((channelId) => recipientId({ channelId, conversationId: null })),
          ...conversations.map((conversationId) =>
            recipientId({ channelId: null, conversationId }),
          ),
        ];
        expect(new Set(given).size).toBe(given.length);
      }),
    );
  });
});
