import { describe, expect, it } from '@jest/globals';
import {
  emojiOfRealm,
  emojiTypeOf,
  extraEmojiOf,
  realmEmojiIdOf,
  unicodeEmojiOf,
  usableEmojiOf,
} from './emoji-choice.rules.js';
import { UnicodeEmoji } from './unicode-emoji.js';

const parrot = { id: 7, name: 'parrot', authorId: 1, fileKey: 'k', isDeactivated: false };
const asWire = { name: 'parrot', code: '7', type: 'realm_emoji' };

describe(emojiTypeOf.name, () => {
  it.each(['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji'])('knows %s', (type) => {
    expect(emojiTypeOf(type)).toBe(type);
  });

  it.each(['', 'Unicode_emoji', 'emoji', 'constructor'])('refuses %j', (type) => {
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
  ])('of %j is %j', (code, id) => {
    expect(realmEmojiIdOf(code)).toBe(id);
  });
});

describe(emojiOfRealm.name, () => {
  it('has the id as its code', () => {
    expect(emojiOfRealm(parrot)).toEqual(asWire);
  });
});

describe(unicodeEmojiOf.name, () => {
  const unicode = new UnicodeEmoji([{ '2764-FE0F': ['heart', 'love'] }]);

  it('gives the code without the variation selector, and the name that was asked for', () => {
    const love = { name: 'love', code: '2764', type: 'unicode_emoji' };
    expect(unicodeEmojiOf(unicode, '2764', 'love')).toEqual(love);
    expect(unicodeEmojiOf(unicode, '2764-fe0f', 'love')).toEqual(love);
  });

  it('names an emoji that came without a name', () => {
    expect(unicodeEmojiOf(unicode, '2764', undefined).name).toBe('heart');
  });

  it('refuses an unknown code before a name that does not fit', () => {
    expect(() => unicodeEmojiOf(unicode, '2765', 'heart')).toThrow('Invalid emoji code.');
    expect(() => unicodeEmojiOf(unicode, '', 'heart')).toThrow('Invalid emoji code.');
    expect(() => unicodeEmojiOf(unicode, '2764', 'hart')).toThrow('Invalid emoji name.');
  });
});

describe(extraEmojiOf.name, () => {
  it('knows one', () => {
    const extra = { name: 'zulip', code: 'zulip', type: 'zulip_extra_emoji' };
    expect(extraEmojiOf('zulip', 'zulip')).toEqual(extra);
    expect(extraEmojiOf('zulip', undefined)).toEqual(extra);
  });

  it('refuses any other', () => {
    expect(() => extraEmojiOf('heart', 'zulip')).toThrow('Invalid emoji code.');
    expect(() => extraEmojiOf('zulip', 'heart')).toThrow('Invalid emoji name.');
  });
});

describe(usableEmojiOf.name, () => {
  it('takes an active one by its name, or by none', () => {
    expect(usableEmojiOf(parrot, 'parrot')).toEqual(asWire);
    expect(usableEmojiOf(parrot, undefined)).toEqual(asWire);
  });

  it('refuses what is none, then a wrong name, then a deactivated one', () => {
    const retired = { ...parrot, isDeactivated: true };
    expect(() => usableEmojiOf(null, 'parrot')).toThrow('Invalid custom emoji.');
    expect(() => usableEmojiOf(retired, 'parott')).toThrow('Invalid custom emoji name.');
    expect(() => usableEmojiOf(retired, 'parrot')).toThrow(
      'This custom emoji has been deactivated.',
    );
  });
});
