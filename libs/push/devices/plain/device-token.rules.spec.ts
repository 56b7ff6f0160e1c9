import { describe, expect, it } from '@jest/globals';
import { normalizeDeviceToken } from './device-token.rules.js';

describe(normalizeDeviceToken.name, () => {
  it('converts APNs tokens to lower case', () => {
    expect(normalizeDeviceToken('apns', 'ABCDEF01')).toBe('abcdef01');
  });

  it('keeps FCM tokens', () => {
    expect(normalizeDeviceToken('fcm', 'fGx-Q:APA91b_Ü')).toBe('fGx-Q:APA91b_Ü');
  });

  it.each(['apns', 'fcm'] as const)('rejects an empty or too long token of %s', (platform) => {
    expect(() => normalizeDeviceToken(platform, '')).toThrow('Empty or invalid length token');
    expect(() => normalizeDeviceToken(platform, 'a'.repeat(4097))).toThrow(
      'Empty or invalid length token',
    );
    expect(() => normalizeDeviceToken(platform, 'a\0b')).toThrow('Empty or invalid length token');
    expect(normalizeDeviceToken(platform, 'a'.repeat(4096))).toHaveLength(4096);
  });

  it.each(['xyz has non-hex characters', 'abc', '[object Object]', 'ab cd', 'ab\n'])(
    'rejects %j as an APNs token',
    (token) => {
      expect(() => normalizeDeviceToken('apns', token)).toThrow('Invalid APNS token');
    },
  );
});
