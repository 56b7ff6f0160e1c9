import { describe, expect, it } from '@jest/globals';
import { isOutOfTime, parseSealedToken } from './sealed-registration.rules.js';

const android = { token_kind: 'fcm', token: 'a-token', timestamp: 1_796_083_200 };
const iphone = { ...android, token_kind: 'apns', token: 'C0ffee', ios_app_id: 'org.example.App' };

const parse = (value: unknown) => parseSealedToken(Buffer.from(JSON.stringify(value)));

describe(parseSealedToken.name, () => {
  it('parses a token of either platform', () => {
    expect(parse(android)).toEqual({
      platform: 'fcm',
      token: 'a-token',
      appId: null,
      timestamp: 1_796_083_200,
    });
    expect(parse(iphone)).toMatchObject({
      platform: 'apns',
      token: 'C0ffee',
      appId: 'org.example.App',
    });
  });

  it('ignores unknown members, and takes null for an app of FCM', () => {
    expect(parse({ ...android, ios_app_id: null, further: [1] })).toMatchObject({ appId: null });
  });

  it.each([
    null,
    [],
    'text',
    { ...android, token_kind: 'apns' },
    { ...android, token_kind: 'wns' },
    { ...android, token_kind: undefined },
    { ...android, token: '' },
    { ...android, token: 'a\0b' },
    { ...android, token: 'a'.repeat(4097) },
    { ...android, token: 5 },
    { ...android, ios_app_id: 'org.example.App' },
    { ...android, timestamp: '1796083200' },
    { ...android, timestamp: 1.5 },
    { ...android, timestamp: true },
    { ...android, timestamp: undefined },
    { ...iphone, ios_app_id: undefined },
    { ...iphone, ios_app_id: 'org example' },
    { ...iphone, ios_app_id: 'a'.repeat(156) },
    { ...iphone, token: 'abc' },
    { ...iphone, token: 'xyzw' },
  ])('refuses %j', (value) => {
    expect(parse(value)).toBeNull();
  });

  it('refuses what is no JSON, or no UTF-8', () => {
    expect(parseSealedToken(Buffer.from('{'))).toBeNull();
    const text = JSON.stringify(android).replace('a-token', 'a-\u00ff');
    expect(parseSealedToken(Buffer.from(text, 'latin1'))).toBeNull();
  });
});

describe(isOutOfTime.name, () => {
  it.each([
    [86_400, false],
    [86_401, true],
    [-86_400, false],
    [-86_401, true],
  ])('judges a registration that is %i seconds old: %s', (age, isLate) => {
    const sealed = { platform: 'fcm', token: 't', appId: null, timestamp: 2_000_000 } as const;
    expect(isOutOfTime(sealed, 2_000_000 + age)).toBe(isLate);
  });
});
