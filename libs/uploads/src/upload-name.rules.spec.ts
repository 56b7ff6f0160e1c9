import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isStorageKey } from './storage/storage-key.rules.js';
import { contentTypeOf, shownName, unquotedName, urlName } from './upload-name.rules.js';

describe(unquotedName.name, () => {
  it.each([
    ['a%20b.txt', 'a b.txt'],
    ['%22quoted%22.txt', '"quoted".txt'],
    ['gr%C3%BC%c3%9fe', 'grüße'],
    ['%2e%2e%2ffile', '../file'],
    ['100%', '100%'],
    ['%zz %4', '%zz %4'],
    ['%ff', '\uFFFD'],
    ['plain', 'plain'],
  ])('reads %j as %j', (given, name) => {
    expect(unquotedName(given)).toBe(name);
  });
});

describe(shownName.name, () => {
  it.each([
    ['a b.txt', 'a b.txt'],
    ['.. ', '.. '],
    ['<b>"[x]".png', '<b>"[x]".png'],
    ['a\0b\nc\u007f.txt', 'abc.txt'],
    ['half \uD83D.txt', 'half \uFFFD.txt'],
    ['', 'uploaded-file'],
    ['\0', 'uploaded-file'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`${'x'.repeat(300)}.tar.gz`, `${'x'.repeat(252)}.gz`],
    [`a.${'x'.repeat(300)}`, `a.${'x'.repeat(253)}`],
    ['🎉'.repeat(256), '🎉'.repeat(255)],
  ])('shows %j as %j', (given, name) => {
    expect(shownName(given)).toBe(name);
  });
});

describe(urlName.name, () => {
  it.each([
    ['foo.txt', 'foo.txt'],
    ['../foo', '..foo'],
    ['.. ', 'uploaded-file'],
    ['.', 'uploaded-file'],
    ['', 'uploaded-file'],
    ['**', 'uploaded-file'],
    ['foo bar--baz', 'foo-bar-baz'],
    ['foo \t - bar', 'foo-bar'],
    [' a b ', 'a-b'],
    ['grüße_日本語 2².txt', 'grüße_日本語-22.txt'],
    ['ｆｕｌｌ．ｔｘｔ', 'full.txt'],
    ['a<b>?c#d&e"f\'g/h\\i', 'abcdefghi'],
    [`${'x'.repeat(300)}.png`, `${'x'.repeat(196)}.png`],
    [`${'日'.repeat(100)}.png`, `${'日'.repeat(65)}.png`],
  ])('makes %j to %j', (given, name) => {
    expect(urlName(given)).toBe(name);
  });

  it.each([
    ['grüße.txt', 'gre.txt'],
    ['日本語', 'uploaded-file'],
    ['日本語.png', '.png'],
    ['a b_c-1.txt', 'a-b_c-1.txt'],
  ])('makes %j to %j where only ASCII will do', (given, name) => {
    expect(urlName(given, 'ascii')).toBe(name);
  });

  it('always makes what a file may be kept under, and what needs no quoting in a link', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (given) => {
        const name = urlName(given);
        expect(isStorageKey(name)).toBe(true);
        expect(name).toMatch(/^[\p{Letter}\p{Number}_.-]+$/u);
      }),
    );
  });
});

describe(contentTypeOf.name, () => {
  it.each([
    ['a.png', 'image/jpeg', 'image/jpeg'],
    ['a.png', null, 'image/png'],
    ['A.PNG', null, 'image/png'],
    ['a.tar.gz', null, 'application/gzip'],
    ['a.txt', null, 'text/plain'],
    ['a', null, 'application/octet-stream'],
    ['png', null, 'application/octet-stream'],
    ['a.nothing-known', null, 'application/octet-stream'],
    ['a', 'Text/HTML; charset=utf-8', 'text/html'],
    ['a.png', 'nonsense', 'image/png'],
    ['a.png', 'a/b\r\nX-Evil: 1', 'image/png'],
    ['a', `a/${'b'.repeat(127)}`, `a/${'b'.repeat(127)}`],
    ['a.png', `a/${'b'.repeat(128)}`, 'image/png'],
  ])('takes %j, said to be %j, for %j', (name, given, type) => {
    expect(contentTypeOf(name, given)).toBe(type);
  });
});
