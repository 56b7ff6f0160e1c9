import { describe, expect, it } from '@jest/globals';
import { refusal } from './transport/provider-answer.rules.js';
import { outcomeOf, REFUSED_TOGETHER } from './outcomes.rules.js';

const dead = { kind: 'dead_token', ofApp: false, isSuspect: false };
const deadUnlessMany = { kind: 'dead_token', ofApp: false, isSuspect: true };
const deadForAppUnlessMany = { kind: 'dead_token', ofApp: true, isSuspect: true };
const ourMessage = { kind: 'message_fault', wasSent: true };
const ourConfiguration = { kind: 'config_fault' };
const temporary = (firstDelayMs: number) => ({
  kind: 'retry',
  class: 'temporary',
  scope: 'provider',
  firstDelayMs,
});
const unclear = { kind: 'retry', class: 'unclear', scope: 'device', firstDelayMs: 30_000 };
const throttled = (scope: 'device' | 'provider', firstDelayMs: number) => ({
  kind: 'retry',
  class: 'throttled',
  scope,
  firstDelayMs,
});

describe(outcomeOf.name, () => {
  it.each([
    [400, 'BadCollapseId', ourMessage],
    [400, 'BadDeviceToken', deadUnlessMany],
    [400, 'BadExpirationDate', ourMessage],
    [400, 'BadMessageId', ourMessage],
    [400, 'BadPriority', ourMessage],
    [400, 'BadTopic', ourMessage],
    [400, 'DeviceTokenNotForTopic', deadForAppUnlessMany],
    [400, 'DuplicateHeaders', ourMessage],
    [400, 'IdleTimeout', temporary(500)],
    [400, 'InvalidPushType', ourMessage],
    [400, 'MissingDeviceToken', ourMessage],
    [400, 'MissingTopic', ourMessage],
    [400, 'PayloadEmpty', ourMessage],
    [400, 'TopicDisallowed', ourConfiguration],
    [403, 'BadCertificate', ourConfiguration],
    [403, 'BadCertificateEnvironment', ourConfiguration],
    [403, 'BadEnvironmentKeyIdInToken', ourConfiguration],
    [403, 'BadEnvironmentKeyInToken', ourConfiguration],
    [403, 'ExpiredProviderToken', ourConfiguration],
    [403, 'Forbidden', ourConfiguration],
    [403, 'InvalidProviderToken', ourConfiguration],
    [403, 'MissingProviderToken', ourConfiguration],
    [403, 'UnrelatedKeyIdInToken', temporary(500)],
    [404, 'BadPath', ourMessage],
    [405, 'MethodNotAllowed', ourMessage],
    [410, 'ExpiredToken', dead],
    [410, 'Unregistered', dead],
    [413, 'PayloadTooLarge', ourMessage],
    [429, 'TooManyProviderTokenUpdates', throttled('provider', 30_000)],
    [429, 'TooManyRequests', throttled('device', 30_000)],
    [500, 'InternalServerError', temporary(1000)],
    [503, 'ServiceUnavailable', temporary(1000)],
    [503, 'Shutdown', temporary(500)],
    // What Apple does not document is judged by its status, and costs no one a device.
    [400, 'SomethingNew', ourMessage],
    [401, 'SomethingNew', ourConfiguration],
    [403, 'SomethingNew', ourConfiguration],
    [410, 'SomethingNew', ourMessage],
    [410, null, ourMessage],
    [429, null, throttled('device', 30_000)],
    [502, null, temporary(1000)],
    [408, null, temporary(1000)],
    [302, null, temporary(1000)],
    [404, null, unclear],
    [404, 'SomethingNew', ourMessage],
    // Broadcasts to channels, which the server never sends.
    [400, 'BadChannelId', ourMessage],
    [410, 'ChannelNotRegistered', ourMessage],
  ])("maps Apple's %i %s", (status, reason, expected) => {
    expect(outcomeOf('apns', refusal({ status, reason }))).toMatchObject(expected);
  });

  it.each([
    [400, 'INVALID_ARGUMENT', deadUnlessMany],
    [401, 'THIRD_PARTY_AUTH_ERROR', ourConfiguration],
    [403, 'SENDER_ID_MISMATCH', deadUnlessMany],
    [404, 'UNREGISTERED', dead],
    [429, 'QUOTA_EXCEEDED', throttled('provider', 60_000)],
    [500, 'INTERNAL', temporary(10_000)],
    [503, 'UNAVAILABLE', temporary(10_000)],
    [500, 'UNSPECIFIED_ERROR', temporary(10_000)],
    [400, 'UNSPECIFIED_ERROR', ourMessage],
    // A status without a code of FCM's own speaks of the project or of our access, never of a token.
    [400, null, ourMessage],
    [401, null, ourConfiguration],
    [403, null, ourConfiguration],
    [404, null, unclear],
    [404, 'UNSPECIFIED_ERROR', unclear],
    [429, null, throttled('provider', 60_000)],
    [502, null, temporary(10_000)],
    [421, null, temporary(10_000)],
    [413, null, ourMessage],
  ])("maps Google's %i %s", (status, reason, expected) => {
    expect(outcomeOf('fcm', refusal({ status, reason }))).toMatchObject(expected);
  });

  it.each([
    [
      'apns',
      503,
      [
        'BadCollapseId',
        'BadExpirationDate',
        'BadMessageId',
        'BadPath',
        'BadPriority',
        'BadTopic',
        'DuplicateHeaders',
        'InvalidPushType',
        'MethodNotAllowed',
        'MissingDeviceToken',
        'MissingTopic',
        'PayloadEmpty',
        'PayloadTooLarge',
      ],
      ourMessage,
    ],
    [
      'apns',
      503,
      [
        'BadCertificate',
        'BadCertificateEnvironment',
        'BadEnvironmentKeyIdInToken',
        'BadEnvironmentKeyInToken',
        'ExpiredProviderToken',
        'Forbidden',
        'InvalidProviderToken',
        'MissingProviderToken',
      ],
      ourConfiguration,
    ],
    ['apns', 400, ['InternalServerError', 'ServiceUnavailable'], temporary(1000)],
    ['apns', 400, ['TooManyRequests'], throttled('device', 30_000)],
    ['fcm', 503, ['THIRD_PARTY_AUTH_ERROR'], ourConfiguration],
    ['fcm', 400, ['QUOTA_EXCEEDED'], throttled('provider', 60_000)],
    ['fcm', 400, ['INTERNAL', 'UNAVAILABLE'], temporary(10_000)],
  ] as const)(
    'maps a documented reason whatever its status: %s %i %j',
    (platform, status, reasons, expected) => {
      for (const reason of reasons) {
        expect(outcomeOf(platform, refusal({ status, reason }))).toMatchObject({
          ...expected,
          reason,
        });
      }
    },
  );

  it.each([
    ['no field', null, deadUnlessMany],
    ['the target', 'target', deadUnlessMany],
    ['another field', 'other', ourMessage],
  ] as const)('maps INVALID_ARGUMENT that names %s', (_what, invalidFields, expected) => {
    const answer = refusal({ status: 400, reason: 'INVALID_ARGUMENT', invalidFields });
    expect(outcomeOf('fcm', answer)).toMatchObject({ ...expected, reason: 'INVALID_ARGUMENT' });
  });

  it.each(['apns', 'fcm'] as const)('maps success to delivered: %s', (platform) => {
    expect(outcomeOf(platform, { kind: 'accepted' })).toEqual({
      kind: 'delivered',
      environment: null,
    });
  });

  it('has the environment of the token', () => {
    expect(outcomeOf('apns', { kind: 'accepted', environment: 'sandbox' })).toEqual({
      kind: 'delivered',
      environment: 'sandbox',
    });
  });

  it('has the id of a push in Apple’s development environment, so that it can be stored', () => {
    const answer = { kind: 'accepted', uniqueId: 'x\0'.repeat(200) } as const;
    const uniqueId = 'x '.repeat(150);
    expect(outcomeOf('apns', answer)).toEqual({ kind: 'delivered', environment: null, uniqueId });
  });

  // A request that did not leave was not delivered. Of the others, Apple replaces the first push by the second; phones with
  // Google show both.
  it.each([
    ['apns', 'deadline', false, 1000],
    ['apns', 'connection', false, 1000],
    ['apns', 'deadline', true, 1000],
    ['apns', 'connection', true, 1000],
    ['fcm', 'deadline', false, 1000],
    ['fcm', 'connection', false, 1000],
    ['fcm', 'deadline', true, 10_000],
    ['fcm', 'connection', true, 10_000],
    ['push service', 'deadline', false, 1000],
    ['push service', 'connection', false, 1000],
    ['push service', 'deadline', true, 10_000],
    ['push service', 'connection', true, 10_000],
  ] as const)(
    'retries after no answer: %s, %s, sent: %s, after %i ms',
    (source, reason, wasSent, firstDelayMs) => {
      expect(outcomeOf(source, { kind: 'unanswered', reason, wasSent })).toEqual({
        kind: 'retry',
        class: wasSent ? 'unanswered' : 'connection',
        scope: 'provider',
        reason,
        firstDelayMs,
        retryAfterMs: null,
      });
    },
  );

  it.each([
    ['fcm', 429, 'QUOTA_EXCEEDED', 20_000, 20_000],
    ['fcm', 429, 'QUOTA_EXCEEDED', 2000, 10_000],
    ['fcm', 429, null, 0, 10_000],
    ['fcm', 429, 'QUOTA_EXCEEDED', 600_000, 60_000],
    ['fcm', 503, 'UNAVAILABLE', 0, 10_000],
    ['fcm', 503, 'UNAVAILABLE', 3000, 10_000],
    ['fcm', 503, null, 9999, 10_000],
    ['fcm', 500, 'INTERNAL', 1000, 10_000],
    ['apns', 429, 'TooManyRequests', 0, 500],
    ['apns', 503, 'ServiceUnavailable', 0, 500],
    ['push service', 429, null, 2000, 2000],
  ] as const)(
    'starts with Retry-After, and not below the floor of the provider: %s %i %s, %i ms',
    (source, status, reason, retryAfterMs, first) => {
      const answer = refusal({ status, reason, retryAfterMs });
      expect(outcomeOf(source, answer)).toMatchObject({ firstDelayMs: first, retryAfterMs });
    },
  );

  it("has the provider's Retry-After and time of death", () => {
    expect(
      outcomeOf('fcm', refusal({ status: 503, reason: 'UNAVAILABLE', retryAfterMs: 4000 })),
    ).toMatchObject({ retryAfterMs: 4000, reason: 'UNAVAILABLE' });
    expect(
      outcomeOf('apns', refusal({ status: 410, reason: 'Unregistered', deadSince: 5 })),
    ).toMatchObject({ deadSince: 5 });
    expect(outcomeOf('apns', refusal({ status: 418, reason: null }))).toMatchObject({
      reason: 'HTTP 418',
    });
  });

  it.each([
    ['what PostgreSQL does not store', 'a\0b\nc', 'a b c'],
    ['a length without end', 'x'.repeat(16_000), 'x'.repeat(300)],
  ])("does not keep %s of the provider's reason", (_what, given, reason) => {
    expect(outcomeOf('apns', refusal({ status: 400, reason: given }))).toMatchObject({ reason });
    expect(outcomeOf('apns', { kind: 'misconfigured', reason: given })).toMatchObject({ reason });
  });

  it.each(['constructor', '__proto__', 'toString'])('judges %s by its status', (reason) => {
    const answer = refusal({ status: 400, reason });
    expect(outcomeOf('apns', answer)).toMatchObject(ourMessage);
    expect(outcomeOf('fcm', answer)).toMatchObject(ourMessage);
  });

  it('separates invalid pushes from a missing configuration', () => {
    const reason = 'why';
    expect(outcomeOf('fcm', { kind: 'unsendable', reason })).toEqual({
      kind: 'message_fault',
      reason,
      wasSent: false,
    });
    expect(outcomeOf('fcm', { kind: 'misconfigured', reason })).toEqual({
      ...ourConfiguration,
      reason,
      wasSent: false,
    });
  });

  it.each([
    [410, 'DELETED_BY_SERVICE', dead],
    [
      403,
      'MISSING_REMOTE_REALM',
      { ...temporary(5000), class: 'unknown_organisation', scope: 'device' },
    ],
    [400, REFUSED_TOGETHER, { ...unclear, firstDelayMs: 5000 }],
    [400, 'PUSH_NOTIFICATIONS_DISALLOWED', ourMessage],
    [403, 'REMOTE_REALM_SERVER_MISMATCH_ERROR', ourMessage],
    [400, 'BAD_REQUEST', ourMessage],
    [429, null, throttled('provider', 10_000)],
    [503, null, temporary(1000)],
  ])('of a push service: %i %s', (status, reason, outcome) => {
    expect(outcomeOf('push service', refusal({ status, reason }))).toMatchObject(outcome);
  });
});
