import { describe, expect, it } from '@jest/globals';
import { type ProviderAnswer, refusal } from './transport/provider-answer.rules.js';
import { outcomeOf } from './outcomes.rules.js';
import { mayBeShownAfter } from './shown-push.rules.js';

type Answer = Exclude<ProviderAnswer, { kind: 'withdrawn' }>;

const refused = (
  status: number,
  reason: string | null,
  invalidFields: 'target' | 'other' | null = null,
): Answer => refusal({ status, reason, invalidFields });

describe(mayBeShownAfter.name, () => {
  it.each<[Parameters<typeof outcomeOf>[0], string, Answer]>([
    ['apns', 'accepted', { kind: 'accepted' }],
    ['fcm', 'accepted', { kind: 'accepted' }],
    // The service has accepted it, and tells nobody what the provider answered.
    ['push service', 'accepted', { kind: 'accepted' }],
    ['apns', 'no answer in time', { kind: 'unanswered', reason: 'deadline', wasSent: true }],
    ['fcm', 'a lost connection', { kind: 'unanswered', reason: 'connection', wasSent: true }],
    [
      'push service',
      'no answer in time',
      { kind: 'unanswered', reason: 'deadline', wasSent: true },
    ],
    ['apns', '500 InternalServerError', refused(500, 'InternalServerError')],
    ['apns', '503 ServiceUnavailable', refused(503, 'ServiceUnavailable')],
    ['apns', '503 Shutdown', refused(503, 'Shutdown')],
    ['apns', '502 of a proxy', refused(502, null)],
    ['apns', '408 of a proxy', refused(408, null)],
    ['fcm', '500 INTERNAL', refused(500, 'INTERNAL')],
    ['fcm', '503 UNAVAILABLE', refused(503, 'UNAVAILABLE')],
    ['fcm', '502 of a proxy', refused(502, null)],
    ['push service', '503', refused(503, null)],
    // Temporary errors are not told apart.
    ['apns', '400 IdleTimeout', refused(400, 'IdleTimeout')],
    ['apns', '403 UnrelatedKeyIdInToken', refused(403, 'UnrelatedKeyIdInToken')],
  ])('is true for an answer of %s: %s', (source, _answer, answer) => {
    expect(mayBeShownAfter(outcomeOf(source, answer))).toBe(true);
  });

  it.each<[Parameters<typeof outcomeOf>[0], string, Answer]>([
    ['apns', 'a request that did not leave', { kind: 'unanswered', reason: 'connection' }],
    ['apns', '410 Unregistered', refused(410, 'Unregistered')],
    ['apns', '400 BadDeviceToken', refused(400, 'BadDeviceToken')],
    ['apns', '400 DeviceTokenNotForTopic', refused(400, 'DeviceTokenNotForTopic')],
    ['apns', '400 BadTopic', refused(400, 'BadTopic')],
    ['apns', '413 PayloadTooLarge', refused(413, 'PayloadTooLarge')],
    ['apns', '403 InvalidProviderToken', refused(403, 'InvalidProviderToken')],
    ['apns', '429 TooManyRequests', refused(429, 'TooManyRequests')],
    ['apns', '429 TooManyProviderTokenUpdates', refused(429, 'TooManyProviderTokenUpdates')],
    ['fcm', '404 UNREGISTERED', refused(404, 'UNREGISTERED')],
    ['fcm', '403 SENDER_ID_MISMATCH', refused(403, 'SENDER_ID_MISMATCH')],
    ['fcm', '400 INVALID_ARGUMENT', refused(400, 'INVALID_ARGUMENT')],
    ['fcm', '400 INVALID_ARGUMENT with fields', refused(400, 'INVALID_ARGUMENT', 'other')],
    ['fcm', '401 THIRD_PARTY_AUTH_ERROR', refused(401, 'THIRD_PARTY_AUTH_ERROR')],
    ['fcm', '404 without a code', refused(404, null)],
    ['fcm', '429 QUOTA_EXCEEDED', refused(429, 'QUOTA_EXCEEDED')],
    ['push service', '400', refused(400, 'BAD_REQUEST')],
    ['push service', 'MISSING_REMOTE_REALM', refused(403, 'MISSING_REMOTE_REALM')],
    ['push service', '429', refused(429, null)],
    ['apns', 'a push that cannot be made', { kind: 'unsendable', reason: 'MissingTopic' }],
    ['fcm', 'no sign-in', { kind: 'misconfigured', reason: 'no credentials' }],
  ])('is false for an answer of %s: %s', (source, _answer, answer) => {
    expect(mayBeShownAfter(outcomeOf(source, answer))).toBe(false);
  });
});
