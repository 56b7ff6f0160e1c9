import { describe, expect, it } from '@jest/globals';
import { normalizeEmojiCode } from './emoji-code.rules.js';
import { terminalNames } from './terminal-names.js';
import { clientNames, readEmojiKeywords, readEmojiNames, UnicodeEmoji } from './unicode-emoji.js';

describe(UnicodeEmoji.name, () => {
  const sut = new UnicodeEmoji([
    { '2764': 'heart', '1f604': ['smile', 'big_smile'] },
    { '2764-FE0F': ['heart', 'red_heart'], '263A': 'smile' },
  ]);

  it('finds the code of the first emoji with a name', () => {
    expect(sut.codeOf('smile')).toBe('1f604');
    expect(sut.codeOf('red_heart')).toBe('2764');
    expect(sut.codeOf('frown')).toBeUndefined();
  });

  it('accepts each name that a table gives to an emoji', () => {
    expect(sut.isNamed('1f604', 'smile')).toBe(true);
    expect(sut.isNamed('263a', 'smile')).toBe(true);
    expect(sut.isNamed('2764', 'red_heart')).toBe(true);
    expect(sut.isNamed('263a', 'big_smile')).toBe(false);
  });

  it('returns the name of the first table', () => {
    expect(sut.nameOf('1f604')).toBe('smile');
    expect(sut.nameOf('2764')).toBe('heart');
    expect(sut.nameOf('2764-fe0f')).toBeUndefined();
  });

  it.each(['constructor', '__proto__', 'toString', ''])('finds no emoji named %j', (name) => {
    expect(sut.codeOf(name)).toBeUndefined();
    expect(sut.nameOf(name)).toBeUndefined();
  });
});

describe(readEmojiKeywords.name, () => {
  const sut = new UnicodeEmoji(readEmojiNames(), readEmojiKeywords());

  it.each([
    ['calculation', '1f9ee'],
    ['flag_trinidad_and_tobago', '1f1f9-1f1f9'],
    ['flag_curaçao', '1f1e8-1f1fc'],
    ['angry_cat', '1f63e'],
  ])('accepts the keyword %s of %s beside the code only', (keyword, code) => {
    expect(sut.isNamed(code, keyword)).toBe(true);
    expect(sut.isNamed('1f44d', keyword)).toBe(false);
    expect(sut.codeOf(keyword)).toBeUndefined();
    expect(sut.namesByCode().get(code)).not.toContain(keyword);
  });

  it.each(['high_five', 'stop'])(
    'accepts the name %s of another emoji beside two codes',
    (name) => {
      const code = Object.keys(terminalNames).find((one) => terminalNames[one] === name) ?? '';
      expect(sut.codeOf(name)).not.toBe(code);
      expect(sut.isNamed(code, name)).toBe(true);
    },
  );

  it('yields names of the terminal only for known emoji, and only where presets and words lack them', () => {
    const presets = new UnicodeEmoji(readEmojiNames(), readEmojiKeywords({}));
    const redundant = Object.entries(terminalNames).filter(
      ([code, name]) => presets.nameOf(code) === undefined || presets.isNamed(code, name),
    );
    expect(redundant).toEqual([]);
  });

  it('has no empty keyword', () => {
    expect([...readEmojiKeywords().values()].flat()).not.toContain('');
  });
});

describe(readEmojiNames.name, () => {
  const unicode = new UnicodeEmoji(readEmojiNames());
  const tables = [...readEmojiNames()];

  it.each([
    ['calendar', '1f4c5'],
    ['bus', '1f68c'],
    ['hurt', '1f915'],
    ['palm_tree', '1f334'],
    ['house', '1f3e0'],
    ['office', '1f3e2'],
    ['working_on_it', '1f6e0'],
    ['hammer_and_wrench', '1f6e0'],
    ['tools', '1f6e0'],
    ['car', '1f697'],
    ['airplane', '2708'],
    ['smile', '1f604'],
    ['slight_smile', '1f642'],
    ['big_smile', '1f604'],
    ['thumbs_up', '1f44d'],
    ['+1', '1f44d'],
    ['like', '1f44d'],
    ['-1', '1f44e'],
    ['heart', '2764'],
    ['love', '2764'],
    ['tada', '1f389'],
    ['octopus', '1f419'],
    ['moon', '1f319'],
    ['check', '2705'],
    ['ok', '1f44c'],
    ['100', '1f4af'],
    ['zero', '0030-20e3'],
    ['thumbs_up_tone3', '1f44d-1f3fd'],
    ['rainbow_flag', '1f3f3-200d-1f308'],
  ])('maps the name %s to the code %s', (name, code) => {
    expect(unicode.codeOf(name)).toBe(code);
  });

  // Servers have given this name to three emoji, and clients still use them.
  it.each(['1f604', '1f642', '263a'])('accepts the name smile for %s', (code) => {
    expect(unicode.isNamed(code, 'smile')).toBe(true);
  });

  it('yields names in lower case and codes in hexadecimal', () => {
    const codes = tables.flatMap((table) => Object.keys(table).map(normalizeEmojiCode));
    const names = tables.flatMap((table) => Object.values(table).flat());
    expect(codes.filter((code) => !/^[0-9a-f]{4,5}(-[0-9a-f]{4,5})*$/.test(code))).toEqual([]);
    expect(names.filter((name) => !/^[0-9a-z_+-]+$/.test(name))).toEqual([]);
    expect(codes.length).toBeGreaterThan(10_000);
  });

  it('yields client names only for known emoji, and only where the presets lack them or begin with another', () => {
    const presets = new UnicodeEmoji(tables.slice(1));
    const unknown = Object.keys(clientNames).filter((code) => presets.nameOf(code) === undefined);
    const redundant = Object.entries(clientNames).flatMap(([code, names]) =>
      names
        .split(' ')
        .filter((name, index, { length }) => {
          const isFirst = index === 0 && (length > 1 || presets.nameOf(code) !== name);
          return !isFirst && presets.isNamed(code, name) && presets.codeOf(name) === code;
        })
        .map((name) => `${code} ${name}`),
    );
    expect(unknown).toEqual([]);
    expect(redundant).toEqual([]);
  });
});
