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
  it('contains the granted values', () => {
    const grant = { accessToken: 'a', refreshToken: 'r', expiresInSeconds: 60 };
    expect(tokenOf(grant, token, NOW)).toEqual({
      accessToken: 'a',
      refreshToken: 'r',
      expiresAt: NOW + 60_000,
      registration: 'one',
      refreshedUntil: null,
    });
  });

  it('keeps the previous refresh token and has no expiry if the grant contains neither', () => {
    const grant = { accessToken: 'a', refreshToken: undefined, expiresInSeconds: undefined };
    expect(tokenOf(grant, token, NOW)).toMatchObject({ refreshToken: 'refresh', expiresAt: null });
  });
});

describe(isFresh.name, () => {
  it.each([
    ['without an expiry', null, true],
    ['an hour before its expiry', NOW + 3_600_000, true],
    ['more than a minute before its expiry', NOW + 60_001, true],
    ['a minute before its expiry', NOW + 60_000, false],
    ['after its expiry', NOW - 1, false],
  ])('checks a token %s', (_case, expiresAt, expected) => {
    expect(isFresh({ ...token, expiresAt }, NOW)).toBe(expected);
  });
});

describe(isBeingRefreshed.name, () => {
  it.each([
    ['is not marked', null, false],
    ['another request has marked', NOW + 1, true],
    ['has an expired mark', NOW, false],
  ])('checks a token that %s', (_case, refreshedUntil, expected) => {
    expect(isBeingRefreshed({ ...token, refreshedUntil }, NOW)).toBe(expected);
  });
});

describe(parseToken.name, () => {
  const owner = { userId: 5, provider: 'webex' };

  it('parses the output of tokenText', () => {
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

  it.each(['', '{}', 'null', '{"accessToken":1}'])('rejects %s', (text) => {
    expect(() => parseToken(text, owner)).toThrow(/JSON|expected/);
  });

  it.each([
    { userId: 6, provider: 'webex' },
    { userId: 5, provider: 'zoom' },
  ])('rejects the token of another owner: %j', (other) => {
    expect(() => parseToken(tokenText(token, owner), other)).toThrow('another owner');
  });
});
