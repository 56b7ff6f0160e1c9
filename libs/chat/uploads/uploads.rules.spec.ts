import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  contentTypeOf,
  fileHeaders,
  isStorageKey,
  makeFileToken,
  openFileToken,
  shownName,
  unquotedName,
  urlName,
} from './uploads.rules.js';

describe(unquotedName.name, () => {
  it.each([
    ['%22quoted%22.txt', '"quoted".txt'],
    ['two%0D%0Alines', 'two\r\nlines'],
    ['per%20cent%2F.txt', 'per%20cent%2F.txt'],
    ['gr%C3%BC%c3%9fe', 'gr%C3%BC%c3%9fe'],
    ['100%', '100%'],
    ['plain', 'plain'],
  ])('decodes %j to %j', (given, name) => {
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
    ['photo\u202Egpj.exe', 'photogpj.exe'],
    ['so\u00ADft\u2028.txt', 'soft.txt'],
    ['\u2800\u2060', 'uploaded-file'],
    ['\u{1F469}\u200D\u{1F680}.png', '\u{1F469}\u200D\u{1F680}.png'],
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
  ])('maps %j to %j', (given, name) => {
    expect(urlName(given)).toBe(name);
  });

  it.each([
    ['grüße.txt', 'gre.txt'],
    ['日本語', 'uploaded-file'],
    ['日本語.png', '.png'],
    ['a b_c-1.txt', 'a-b_c-1.txt'],
  ])('maps %j to %j for an ASCII link', (given, name) => {
    expect(urlName(given, 'ascii')).toBe(name);
  });

  it('returns a valid storage key that needs no encoding in a link', () => {
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
  ])('maps the name %j and the given type %j to %j', (name, given, type) => {
    expect(contentTypeOf(name, given)).toBe(type);
  });
});

describe(isStorageKey.name, () => {
  it.each(['a', '7/a1/token/name.txt', 'ü/日本語', '...', '..a/.b', 'a b', 'x'.repeat(255)])(
    'accepts %j',
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
  ])('rejects %j', (key) => {
    expect(isStorageKey(key)).toBe(false);
  });

  it('accepts no key that leads out of a folder', () => {
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

const key = Buffer.alloc(32, 1);
const now = 1_800_000_000_000;
const token = makeFileToken(17, key, now);

describe(makeFileToken.name, () => {
  it('makes a token that is safe in a path', () => {
    expect(token).toMatch(/^[\w.-]+$/);
  });
});

describe(openFileToken.name, () => {
  it('accepts a token for one minute', () => {
    expect(openFileToken(token, key, now)).toBe(17);
    expect(openFileToken(token, key, now + 59_999)).toBe(17);
    expect(openFileToken(token, key, now + 60_000)).toBeNull();
  });

  it('rejects a token of another key', () => {
    expect(openFileToken(token, Buffer.alloc(32, 2), now)).toBeNull();
  });

  it.each([
    '',
    'x',
    `1${token}`,
    token.replace('17.', '18.'),
    token.replace(`.${now + 60_000}.`, `.${now + 60_001}.`),
    token.slice(0, -4),
    `${token}aaaa`,
    '17.1900000000000.',
  ])('rejects %j', (given) => {
    expect(openFileToken(given, key, now)).toBeNull();
  });
});

const dispositionOf = (contentType: string, isDownload = false) =>
  fileHeaders({ fileName: 'a', contentType }, isDownload)['Content-Disposition'];

describe(fileHeaders.name, () => {
  it.each([
    'image/png',
    'image/jpeg',
    'image/webp',
    'audio/mpeg',
    'audio/x-m4a',
    'video/mp4',
    'video/quicktime',
    'application/pdf',
    'text/plain',
  ])('shows %s inline, except as a download', (contentType) => {
    expect(dispositionOf(contentType)).toBe('inline; filename="a"');
    expect(dispositionOf(contentType, true)).toBe('attachment; filename="a"');
  });

  it.each([
    'text/html',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/javascript',
    'application/octet-stream',
    'image/png2',
    'audio/any',
    'audio/svg+xml',
    'video/x-any',
  ])('serves %s as a download', (contentType) => {
    expect(dispositionOf(contentType)).toBe('attachment; filename="a"');
  });

  it.each([
    'text/javascript',
    'application/javascript',
    'application/x-javascript',
    'text/ecmascript',
    'application/ecmascript',
    'text/jscript',
    'text/livescript',
    'text/x-javascript',
    'text/javascript1.5',
  ])('does not serve %s as a script', (contentType) => {
    const headers = fileHeaders({ fileName: 'a.js', contentType }, false);
    expect(headers['Content-Type']).toBe('application/octet-stream');
  });

  it('forbids scripts in a file, and shared caches', () => {
    expect(fileHeaders({ fileName: 'a', contentType: 'text/plain' }, false)).toMatchObject({
      'Content-Type': 'text/plain',
      'Content-Security-Policy': expect.stringMatching(/^default-src 'none';.* sandbox$/),
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': expect.stringMatching(/^private,/),
    });
  });

  it('encodes any name in a valid header', () => {
    expect(
      fileHeaders({ fileName: 'grüße "日".txt', contentType: 'text/plain' }, true),
    ).toMatchObject({
      'Content-Disposition': `attachment; filename="gr??e \\"?\\".txt"; filename*=UTF-8''gr%C3%BC%C3%9Fe%20%22%E6%97%A5%22.txt`,
    });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (fileName) => {
        const headers = fileHeaders({ fileName, contentType: 'text/plain' }, false);
        expect(headers['Content-Disposition']).toMatch(/^[\x20-\x7e]+$/);
      }),
    );
  });
});
