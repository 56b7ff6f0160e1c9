import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  bearerIn,
  cookieIn,
  isSameSecret,
  openSession,
  readSession,
  SESSION_SECONDS,
} from './operator-session.rules.js';

const key = Buffer.alloc(32, 1);
const now = 1_800_000_000_000;

describe(readSession.name, () => {
  it('accepts a session of its own key until it expires', () => {
    const session = openSession(key, now);
    const ends = now + SESSION_SECONDS * 1000;
    expect(readSession(key, session.value, now)).toEqual(session);
    expect(readSession(key, session.value, ends - 1)).toEqual(session);
    expect(readSession(key, session.value, ends)).toBeNull();
  });

  it('rejects a session of another key', () => {
    const { value } = openSession(Buffer.alloc(32, 2), now);
    expect(readSession(key, value, now)).toBeNull();
  });

  it('rejects a session with a changed expiry', () => {
    const { value } = openSession(key, now);
    const [, signature] = value.split('.');
    const later = Math.floor(now / 1000) + 2 * SESSION_SECONDS;
    expect(readSession(key, `${later}.${signature}`, now)).toBeNull();
  });

  it('rejects any other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => readSession(key, text, now) === null),
    );
  });

  it('has a CSRF token that the cookie does not reveal', () => {
    const { value, proof } = openSession(key, now);
    expect(value).not.toContain(proof);
  });
});

describe(isSameSecret.name, () => {
  it('compares texts, also of different lengths', () => {
    expect(isSameSecret('a token', 'a token')).toBe(true);
    expect(isSameSecret('a token', 'a tokeN')).toBe(false);
    expect(isSameSecret('a token', 'a token and more')).toBe(false);
    expect(isSameSecret('', '')).toBe(true);
  });
});

describe(cookieIn.name, () => {
  it.each([
    ['one=1; two=2', '2'],
    ['two=2', '2'],
    ['nottwo=1;two=a=b', 'a=b'],
    ['two=', ''],
    ['one=1', undefined],
    [undefined, undefined],
  ])('finds "two" in %j: %j', (header, value) => {
    expect(cookieIn(header, 'two')).toBe(value);
  });
});

describe(bearerIn.name, () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer  abc ', 'abc'],
    ['Basic abc', undefined],
    ['Bearer', undefined],
    ['Bearer a b', 'a b'],
    ['Bearer ', undefined],
  ])('parses %j as %j', (header, token) => {
    expect(bearerIn(header)).toBe(token);
  });
});
