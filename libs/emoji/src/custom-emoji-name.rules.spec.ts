import { describe, expect, it } from '@jest/globals';
import { customEmojiName } from './custom-emoji-name.rules.js';

describe(customEmojiName.name, () => {
  it.each([
    ['parrot', 'parrot'],
    ['Party Parrot', 'party_parrot'],
    [' green_tick ', 'green_tick'],
    ['a-b_c-1', 'a-b_c-1'],
    ['7', '7'],
    ['_a', '_a'],
  ])('of %j is %j', (given, name) => {
    expect(customEmojiName(given)).toBe(name);
  });

  it.each(['', ' ', '\n'])('asks for one instead of %j', (given) => {
    expect(() => customEmojiName(given)).toThrow('Emoji name is missing');
  });

  it.each(['parrot_', 'parrot-', '_', 'a.b', 'pärrot', 'a:b', 'a/b', "it's", 'a\nb', '🦜', 'Ａ'])(
    'refuses %j',
    (given) => {
      expect(() => customEmojiName(given)).toThrow(
        'Emoji names may only have letters, digits, dashes and underscores, and end with a letter or digit.',
      );
    },
  );
});
