import { describe, expect, it } from '@jest/globals';
import {
  type DeviceRegistration,
  isInProgress,
  registrationChange,
  type RegistrationRequest,
  toRegistrationResponse,
} from './push-registration.rules.js';

const NOW = 1_796_083_200_500;
const DAY_MS = 86_400_000;
const [KEY, OTHER_KEY] = [0, 1].map((fill) => Buffer.alloc(33, fill).fill(0x31, 0, 1));
const [TOKEN, OTHER_TOKEN] = [Buffer.alloc(8, 1), Buffer.alloc(8, 2)];

const unregistered: DeviceRegistration = {
  key: null,
  tokenId: null,
  platform: null,
  pendingTokenId: null,
  pendingPlatform: null,
  tokenUpdatedAt: null,
  errorCode: null,
};
const active: DeviceRegistration = {
  ...unregistered,
  key: { id: 7, key: KEY! },
  tokenId: TOKEN,
  platform: 'fcm',
  tokenUpdatedAt: NOW - 1000,
};
const pending: DeviceRegistration = {
  ...active,
  pendingTokenId: OTHER_TOKEN,
  pendingPlatform: 'fcm',
};
const failed: DeviceRegistration = { ...pending, errorCode: 'BAD_REQUEST' };

const key = (id = 7, bytes = KEY!): RegistrationRequest['key'] => ({
  id,
  key: bytes.toString('base64'),
});
const token = (id = TOKEN, platform: 'apns' | 'fcm' = 'fcm'): RegistrationRequest['token'] => ({
  platform,
  id: id.toString('base64'),
  servicePublicKey: 'p',
  sealed: 's',
});

const change = (current: DeviceRegistration, request: Partial<RegistrationRequest>, now = NOW) =>
  registrationChange(current, { key: null, token: null, ...request }, now);

describe(registrationChange.name, () => {
  it('registers a key and a token', () => {
    expect(change(unregistered, { key: key(), token: token() })).toEqual({
      registration: {
        ...unregistered,
        key: { id: 7, key: KEY },
        pendingTokenId: TOKEN,
        pendingPlatform: 'fcm',
        tokenUpdatedAt: NOW,
      },
      update: { pushKeyId: 7, pendingTokenId: TOKEN, tokenUpdatedAt: NOW, errorCode: null },
      request: 'register',
    });
  });

  it('replaces a key at once, also while a token is pending', () => {
    for (const current of [active, pending, failed]) {
      expect(change(current, { key: key(8, OTHER_KEY) })).toEqual({
        registration: { ...current, key: { id: 8, key: OTHER_KEY } },
        update: { pushKeyId: 8 },
        request: null,
      });
    }
    expect(change(active, { key: key(7, OTHER_KEY) })).toMatchObject({ request: null });
  });

  it('keeps the registered token until another one has replaced it', () => {
    expect(change(active, { token: token(OTHER_TOKEN, 'apns') })).toMatchObject({
      registration: {
        tokenId: TOKEN,
        platform: 'fcm',
        pendingTokenId: OTHER_TOKEN,
        pendingPlatform: 'apns',
      },
      update: { pendingTokenId: OTHER_TOKEN, tokenUpdatedAt: NOW, errorCode: null },
      request: 'register',
    });
  });

  it.each([
    ['the same key', { key: key() }],
    ['the same token', { token: token() }],
    ['both', { key: key(), token: token() }],
  ])('changes nothing for %s', (_, request) => {
    expect(change(active, request)).toBeNull();
  });

  it.each([
    ['another kind', { token: token(TOKEN, 'apns') }],
    ['another key and the same token', { key: key(8), token: token() }],
    ['the same key and another token', { key: key(), token: token(OTHER_TOKEN) }],
  ])('registers %s', (_, request) => {
    expect(change(active, request)?.request).toBe('register');
  });

  it('registers again after a failure, and clears the error', () => {
    expect(change(failed, { token: token(OTHER_TOKEN) })).toMatchObject({
      registration: { errorCode: null },
      update: { errorCode: null },
      request: 'register',
    });
  });

  it.each([
    ['has failed', failed],
    ['is pending for a day', { ...pending, tokenUpdatedAt: NOW - DAY_MS }],
  ])(
    'registers the registered token again if the registration of its replacement %s',
    (_, current) => {
      expect(change(current, { token: token() })).toMatchObject({
        registration: { tokenId: TOKEN, pendingTokenId: TOKEN, errorCode: null },
        request: 'register',
      });
    },
  );

  it('repeats the id of the same key with another token', () => {
    expect(change(active, { key: key(), token: token(OTHER_TOKEN) })?.update).toEqual({
      pushKeyId: 7,
      pendingTokenId: OTHER_TOKEN,
      tokenUpdatedAt: NOW,
      errorCode: null,
    });
  });

  it('refreshes a token that is registered for a day', () => {
    const old = { ...active, tokenUpdatedAt: NOW - DAY_MS };
    for (const request of [{ token: token() }, { key: key(), token: token() }]) {
      expect(change(old, request)).toEqual({
        registration: { ...old, tokenUpdatedAt: NOW },
        update: { tokenUpdatedAt: NOW },
        request: 'refresh',
      });
    }
    expect(change({ ...old, tokenUpdatedAt: NOW - DAY_MS + 1 }, { token: token() })).toBeNull();
  });

  const badKey = { key: { id: 7, key: Buffer.alloc(33).toString('base64') } };
  const inProgress = 'A registration for the device already in progress.';
  const noBase64 = '`token_id` is not Base64 encoded';
  const oddToken = { ...token()!, id: 'no base64' };

  it.each([
    [
      'Missing parameters: must provide either all push key fields, all token fields, or both.',
      active,
      {},
    ],
    ['No push registration exists to rotate key for.', unregistered, badKey],
    ['Invalid `push_key`', active, badKey],
    ['Invalid `push_key`', active, { key: { id: 7, key: `${KEY?.toString('base64')}\n` } }],
    [inProgress, pending, { token: token() }],
    [inProgress, pending, { ...badKey, token: oddToken }],
    [noBase64, unregistered, { token: oddToken }],
    [noBase64, active, { ...badKey, token: oddToken }],
    ['Invalid `token_id`', active, { token: token(Buffer.alloc(7)) }],
    ['No push registration exists to rotate token for.', unregistered, { token: token() }],
    ['Invalid `push_key`', active, { ...badKey, token: token() }],
  ])('refuses with "%s" in this order of checks', (text, current, request) => {
    expect(() => change(current, request)).toThrow(text);
  });
});

describe(isInProgress.name, () => {
  it('ends after a day', () => {
    expect(isInProgress(pending, NOW - 1000 + DAY_MS - 1)).toBe(true);
    expect(isInProgress(pending, NOW - 1000 + DAY_MS)).toBe(false);
    expect(isInProgress(failed, NOW)).toBe(false);
    expect(isInProgress(active, NOW)).toBe(false);
  });
});

describe(toRegistrationResponse.name, () => {
  it('has only the given members, also where they are null', () => {
    expect(toRegistrationResponse({ tokenId: TOKEN, pendingTokenId: null })).toEqual({
      push_token_id: 'AQEBAQEBAQE=',
      pending_push_token_id: null,
    });
    expect(toRegistrationResponse({ pushKeyId: 0, tokenUpdatedAt: NOW, errorCode: null })).toEqual({
      push_key_id: 0,
      push_token_last_updated_timestamp: 1_796_083_200,
      push_registration_error_code: null,
    });
  });
});
