import { describe, expect, it } from '@jest/globals';
import { makeFileToken, openFileToken } from './file-token.rules.js';

const key = Buffer.alloc(32, 1);
const now = 1_800_000_000_000;
const token = makeFileToken(17, key, now);

describe(makeFileToken.name, () => {
  it('makes a token that can stand in a path', () => {
    expect(token).toMatch(/^[\w.-]+$/);
  });
});

describe(openFileToken.name, () => {
  it('opens a token for just a minute', () => {
    expect(openFileToken(token, key, now)).toBe(17);
    expect(openFileToken(token, key, now + 59_999)).toBe(17);
    expect(openFileToken(token, key, now + 60_000)).toBeNull();
  });

  it('opens none of another key', () => {
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
  ])('opens no %j', (given) => {
    expect(openFileToken(given, key, now)).toBeNull();
  });
});
