import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isStorageKey } from './storage-key.rules.js';

describe(isStorageKey.name, () => {
  it.each(['a', '7/a1/token/name.txt', 'ü/日本語', '...', '..a/.b', 'a b', 'x'.repeat(255)])(
    'takes %j',
    (key) => {
      expect(isStorageKey(key)).toBe(true);
    },
  );

  it.each([
    '',
    '/',
    '/etc/passwd',
    'a/',
    'a//b',
    '.',
    '..',
    'a/../b',
    './a',
    'a\\b',
    'a\0b',
    'x'.repeat(256),
    'ü'.repeat(128),
    'x/'.repeat(600) + 'x',
    '\uD800',
  ])('refuses %j', (key) => {
    expect(isStorageKey(key)).toBe(false);
  });

  it('takes nothing that leads out of a folder', () => {
    const names = fc.constantFrom('..', '.', '', 'a', '/', '\\', '...', 'b');
    fc.assert(
      fc.property(fc.array(names, { maxLength: 6 }), fc.constantFrom('/', ''), (given, between) => {
        const key = given.join(between);
        if (!isStorageKey(key)) return;
        expect(path.resolve('/kept', key)).toBe(`/kept/${key}`);
      }),
    );
  });
});
