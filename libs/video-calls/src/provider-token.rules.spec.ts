import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  isBeingRefreshed,
  isFresh,
  parseToken,
  type ProviderToken,
  tokenOf,
  tokenText,
} from './provider-token.rules.js';

const NOW = 1_790_000_000_000;
const token: ProviderToken = {
  accessToken: 'access',
  refreshToken: 'refresh',
  expiresAt: NOW + 3_600_000,
  registration: 'one',
  refreshedUntil: null,
};

describe(tokenOf.name, () => {
  it('takes what was granted', () => {
    const grant = { accessToken: 'a', refreshToken: 'r', expiresInSeconds: 60 };
    expect(tokenOf(grant, token, NOW)).toEqual({
      accessToken: 'a',
      refreshToken: 'r',
      expiresAt: NOW + 60_000,
      registration: 'one',
      refreshedUntil: null,
    });
  });

  it('keeps the refresh token when no other was granted, and knows no end when none was told', () => {
    const grant = { accessToken: 'a', refreshToken: undefined, expiresInSeconds: undefined };
    expect(tokenOf(grant, token, NOW)).toMatchObject({ refreshToken: 'refresh', expiresAt: null });
  });
});

describe(isFresh.name, () => {
  it.each([
    ['without an end', null, true],
    ['an hour before its end', NOW + 3_600_000, true],
    ['more than a minute before its end', NOW + 60_001, true],
    ['a minute before its end', NOW + 60_000, false],
    ['after its end', NOW - 1, false],
  ])('tells of a token %s', (_when, expiresAt, expected) => {
    expect(isFresh({ ...token, expiresAt }, NOW)).toBe(expected);
  });
});

describe(isBeingRefreshed.name, () => {
  it.each([
    ['nobody has marked', null, false],
    ['another request has marked', NOW + 1, true],
    ['a request has marked that never came back', NOW, false],
  ])('tells of a token that %s', (_who, refreshedUntil, expected) => {
    expect(isBeingRefreshed({ ...token, refreshedUntil }, NOW)).toBe(expected);
  });
});

describe(parseToken.name, () => {
  const owner = { userId: 5, provider: 'webex' };

  it('reads what was written', () => {
    const tokens = fc.record({
      accessToken: fc.string({ unit: 'binary' }),
      refreshToken: fc.option(fc.string({ unit: 'binary' })),
      expiresAt: fc.option(fc.nat()),
      registration: fc.string(),
      refreshedUntil: fc.option(fc.nat()),
    });
    fc.assert(
      fc.property(tokens, (one) =>
        expect(parseToken(tokenText(one, owner), owner)).toEqual({ token: one, isBound: true }),
      ),
    );
    expect(parseToken(JSON.stringify(token), owner)).toEqual({ token, isBound: false });
  });

  it.each(['', '{}', 'null', '{"accessToken":1}'])('refuses %s', (text) => {
    expect(() => parseToken(text, owner)).toThrow(/JSON|expected/);
  });

  it.each([
    { userId: 6, provider: 'webex' },
    { userId: 5, provider: 'zoom' },
  ])('refuses that of another owner: %j', (other) => {
    expect(() => parseToken(tokenText(token, owner), other)).toThrow('another owner');
  });
});
