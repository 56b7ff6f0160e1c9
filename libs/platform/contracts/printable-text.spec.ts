import { describe, expect, it } from '@jest/globals';
import { firstUnprintable, isReservedName, nameKey, withoutHiding } from './printable-text.js';

describe(firstUnprintable.name, () => {
  it.each([
    ['a\u0007', 2],
    ['a\u202Eb', 2],
    ['\u2067a', 1],
    ['a\u2028b', 2],
    ['ab\u3164', 3],
    ['\uD800', 1],
    ['', 1],
    ['\u2800', 1],
    ['\u200D\uFE0F', 1],
    ['a\u{E0041}', 2],
  ])('of %j is at %i', (text, position) => {
    expect(firstUnprintable(text)).toBe(position);
  });

  it.each(['a', '李雷', '❤\uFE0F', '\u{1F469}\u200D\u{1F680}', 'می\u200Cخواهم', '#'])(
    'finds none in %j',
    (text) => {
      expect(firstUnprintable(text)).toBeNull();
    },
  );
});

describe(withoutHiding.name, () => {
  it.each([
    ['user\u202Egnp.exe', 'usergnp.exe'],
    ['so\u00ADft \u2066isolated\u2069', 'soft isolated'],
    ['tag\u{E0041} fil\u3164ler \uFEFF', 'tag filler '],
    ['\u200B\u2060', ''],
  ])('of %j is %j', (text, shown) => {
    expect(withoutHiding(text)).toBe(shown);
  });

  it.each(['', 'plan', '❤\uFE0F', '\u{1F469}\u200D\u{1F680}', 'می\u200Cخواهم', 'a\nb', '\u0601'])(
    'is %j itself',
    (text) => {
      expect(withoutHiding(text)).toBe(text);
    },
  );
});

describe(nameKey.name, () => {
  it.each([
    'Plan B',
    ' PLAN\u00A0 \u3000b',
    '\uFF30lan B',
    'P\u00ADl\uFE0Fan\u200D B',
    'Pl\u0430n \u0412',
    '\u03A1lan \u0392',
  ])('is one for all spellings: %j', (name) => {
    expect(nameKey(name)).toBe('plan b');
  });

  it('keeps names of other letters apart', () => {
    const names = ['Борис', 'Бориса', 'Ελένη', 'Elena', '李雷', 'Jose', 'José'];
    expect(new Set(names.map(nameKey)).size).toBe(names.length);
  });
});

describe(isReservedName.name, () => {
  it.each(['Notification Bot', 'welcome  BOT', 'ALL', 'N\u043Etification Bot'])(
    'is true for %j',
    (name) => {
      expect(isReservedName(name)).toBe(true);
    },
  );

  it.each(['Notification', 'allan', 'Admin Bot'])('is false for %j', (name) => {
    expect(isReservedName(name)).toBe(false);
  });
});
