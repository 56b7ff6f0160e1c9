import { describe, expect, it } from '@jest/globals';
import { chosenReaction } from './reaction.rules.js';

const thumb = { name: '+1', code: '1f44d', type: 'unicode_emoji' } as const;
const parrot = { name: 'parrot', code: '7', type: 'realm_emoji' } as const;
const own = [thumb, parrot];

describe(chosenReaction.name, () => {
  it.each([
    ['a code', { code: '1f44d' }, null, thumb],
    ['a code and its type', { code: '7', type: 'realm_emoji' }, null, parrot],
    ['a code of another type', { code: '7', type: 'unicode_emoji' }, null, null],
    ['another name of the emoji', { name: 'like' }, thumb, thumb],
    ['the stored name of an emoji that has no name any more', { name: 'parrot' }, null, parrot],
    ['a stored name with another type', { name: 'parrot', type: 'unicode_emoji' }, null, null],
    [
      'an emoji without a reaction',
      { name: 'tada' },
      { code: '1f389', type: 'unicode_emoji' },
      null,
    ],
  ] as const)('finds the reaction by %s', (_what, choice, named, expected) => {
    const given = { name: undefined, code: undefined, type: undefined, ...choice };
    expect(chosenReaction(own, given, named)).toBe(expected);
  });
});
