import { describe, expect, it } from '@jest/globals';
import { UnicodeEmoji } from '#chat/emoji-names';
import {
  customEmojiName,
  emojiOfRealm,
  emojiTypeOf,
  extraEmojiOf,
  realmEmojiIdOf,
  unicodeEmojiOf,
  usableEmojiOf,
} from './emoji.rules.js';

const parrot = { id: 7, name: 'parrot', authorId: 1, fileKey: 'k', isDeactivated: false };
const asEmoji = { name: 'parrot', code: '7', type: 'realm_emoji' };

describe(emojiTypeOf.name, () => {
  it.each(['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji'])('accepts %s', (type) => {
    expect(emojiTypeOf(type)).toBe(type);
  });

  it.each(['', 'Unicode_emoji', 'emoji', 'constructor'])('rejects %j', (type) => {
    expect(() => emojiTypeOf(type)).toThrow('Invalid emoji type.');
  });
});

describe(realmEmojiIdOf.name, () => {
  it.each([
    ['1', 1],
    ['2147483647', 2_147_483_647],
    ['2147483648', null],
    ['99999999999999999999', null],
    ['0', null],
    ['01', null],
    ['-1', null],
    ['1.0', null],
    ['1e3', null],
    [' 1', null],
    ['１', null],
    ['parrot', null],
    ['', null],
  ])('parses %j to %j', (code, id) => {
    expect(realmEmojiIdOf(code)).toBe(id);
  });
});

describe(emojiOfRealm.name, () => {
  it('uses the id as the code', () => {
    expect(emojiOfRealm(parrot)).toEqual(asEmoji);
  });
});

describe(unicodeEmojiOf.name, () => {
  const unicode = new UnicodeEmoji([{ '2764-FE0F': ['heart', 'love'] }]);

  it('returns the code without the variation selector, and the given name', () => {
    const love = { name: 'love', code: '2764', type: 'unicode_emoji' };
    expect(unicodeEmojiOf(unicode, '2764', 'love')).toEqual(love);
    expect(unicodeEmojiOf(unicode, '2764-fe0f', 'love')).toEqual(love);
  });

  it('adds a name when none is given', () => {
    expect(unicodeEmojiOf(unicode, '2764', undefined).name).toBe('heart');
  });

  it('rejects an unknown code before a wrong name', () => {
    expect(() => unicodeEmojiOf(unicode, '2765', 'heart')).toThrow('Invalid emoji code.');
    expect(() => unicodeEmojiOf(unicode, '', 'heart')).toThrow('Invalid emoji code.');
    expect(() => unicodeEmojiOf(unicode, '2764', 'hart')).toThrow('Invalid emoji name.');
  });
});

describe(extraEmojiOf.name, () => {
  it('accepts the extra emoji', () => {
    const extra = { name: 'zulip', code: 'zulip', type: 'zulip_extra_emoji' };
    expect(extraEmojiOf('zulip', 'zulip')).toEqual(extra);
    expect(extraEmojiOf('zulip', undefined)).toEqual(extra);
  });

  it('rejects any other code or name', () => {
    expect(() => extraEmojiOf('heart', 'zulip')).toThrow('Invalid emoji code.');
    expect(() => extraEmojiOf('zulip', 'heart')).toThrow('Invalid emoji name.');
  });
});

describe(usableEmojiOf.name, () => {
  it('accepts an active emoji with its name, or without a name', () => {
    expect(usableEmojiOf(parrot, 'parrot')).toEqual(asEmoji);
    expect(usableEmojiOf(parrot, undefined)).toEqual(asEmoji);
  });

  it('rejects a missing emoji, then a wrong name, then a deactivated emoji', () => {
    const deactivated = { ...parrot, isDeactivated: true };
    expect(() => usableEmojiOf(null, 'parrot')).toThrow('Invalid custom emoji.');
    expect(() => usableEmojiOf(deactivated, 'parott')).toThrow('Invalid custom emoji name.');
    expect(() => usableEmojiOf(deactivated, 'parrot')).toThrow(
      'This custom emoji has been deactivated.',
    );
  });
});

describe(customEmojiName.name, () => {
  it.each([
    ['parrot', 'parrot'],
    ['Party Parrot', 'party_parrot'],
    [' green_tick ', 'green_tick'],
    ['a-b_c-1', 'a-b_c-1'],
    ['7', '7'],
    ['_a', '_a'],
  ])('normalizes %j to %j', (given, name) => {
    expect(customEmojiName(given)).toBe(name);
  });

  it.each(['', ' ', '\n'])('rejects the missing name %j', (given) => {
    expect(() => customEmojiName(given)).toThrow('Emoji name is missing');
  });

  it.each(['parrot_', 'parrot-', '_', 'a.b', 'pärrot', 'a:b', 'a/b', "it's", 'a\nb', '🦜', 'Ａ'])(
    'rejects %j',
    (given) => {
      expect(() => customEmojiName(given)).toThrow(
        'Emoji names may only have letters, digits, dashes and underscores, and end with a letter or digit.',
      );
    },
  );
});
