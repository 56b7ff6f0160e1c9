import type { Platform } from '#contracts';
import type { ProviderAnswer, Refusal } from '../transport/push-transport.js';

/**
 * What an attempt means for its device, its delivery and its transport.
 *
 * - `dead_token`: the device is removed, unless it was registered again since. `deadSince` is when the
 *   provider learnt of it, null: by the time of the attempt. `ofApp`: only the device's app is meant.
 * - `retry`: later, after at least `retryAfterMs`, and `firstDelayMs` and growing from there.
 * - `message_fault`: ours, in this message; it ends here and is kept for inspection.
 * - `config_fault`: ours, in the configuration; the transport stops, and nothing is lost.
 */
export type Outcome =
  | { readonly kind: 'delivered' }
  | {
      readonly kind: 'dead_token';
      readonly reason: string;
      readonly deadSince: number | null;
      readonly ofApp: boolean;
    }
  | {
      readonly kind: 'retry';
      readonly reason: string;
      readonly firstDelayMs: number;
      readonly retryAfterMs: number | null;
    }
  | { readonly kind: 'message_fault'; readonly reason: string }
  | { readonly kind: 'config_fault'; readonly reason: string };

type Meaning =
  'dead' | 'dead_for_app' | 'message_fault' | 'config_fault' | { readonly firstDelayMs: number };

/** The connection was at fault: at once, on another one. */
const reconnect: Meaning = { firstDelayMs: 500 };
const apnsTrouble: Meaning = { firstDelayMs: 1000 };
const apnsThrottle: Meaning = { firstDelayMs: 30_000 };
/** Google asks for at least ten seconds after a 5xx, and for a minute after a 429 that names no time. */
const fcmTrouble: Meaning = { firstDelayMs: 10_000 };
const fcmThrottle: Meaning = { firstDelayMs: 60_000 };

/** Every reason that Apple documents, with the spelling of one that it really sends. */
const apnsReasons: Readonly<Record<string, Meaning>> = {
  BadCollapseId: 'message_fault',
  BadDeviceToken: 'dead',
  BadExpirationDate: 'message_fault',
  BadMessageId: 'message_fault',
  BadPriority: 'message_fault',
  BadTopic: 'message_fault',
  DeviceTokenNotForTopic: 'dead_for_app',
  DuplicateHeaders: 'message_fault',
  IdleTimeout: reconnect,
  InvalidPushType: 'message_fault',
  MissingDeviceToken: 'message_fault',
  MissingTopic: 'message_fault',
  PayloadEmpty: 'message_fault',
  TopicDisallowed: 'config_fault',
  BadCertificate: 'config_fault',
  BadCertificateEnvironment: 'config_fault',
  BadEnvironmentKeyIdInToken: 'config_fault',
  BadEnvironmentKeyInToken: 'config_fault',
  // The transport has renewed its provider token once before it says so: then our clock is off.
  ExpiredProviderToken: 'config_fault',
  Forbidden: 'config_fault',
  InvalidProviderToken: 'config_fault',
  MissingProviderToken: 'config_fault',
  UnrelatedKeyIdInToken: reconnect,
  BadPath: 'message_fault',
  MethodNotAllowed: 'message_fault',
  ExpiredToken: 'dead',
  Unregistered: 'dead',
  PayloadTooLarge: 'message_fault',
  TooManyProviderTokenUpdates: apnsThrottle,
  TooManyRequests: apnsThrottle,
  InternalServerError: apnsTrouble,
  ServiceUnavailable: apnsTrouble,
  Shutdown: reconnect,
};

/** Every error code of FCM v1 that means one thing. */
const fcmReasons: Readonly<Record<string, Meaning>> = {
  UNREGISTERED: 'dead',
  SENDER_ID_MISMATCH: 'dead',
  THIRD_PARTY_AUTH_ERROR: 'config_fault',
  QUOTA_EXCEEDED: fcmThrottle,
  UNAVAILABLE: fcmTrouble,
  INTERNAL: fcmTrouble,
};

/** What an answer of a provider means. Sources: the providers' own documentation of their errors. */
export function outcomeOf(
  platform: Platform,
  answer: Exclude<ProviderAnswer, { kind: 'withdrawn' }>,
): Outcome {
  switch (answer.kind) {
    case 'accepted':
      return { kind: 'delivered' };
    case 'unanswered':
      return { kind: 'retry', reason: answer.reason, firstDelayMs: 1000, retryAfterMs: null };
    case 'unsendable':
      return { kind: 'message_fault', reason: answer.reason };
    case 'misconfigured':
      return { kind: 'config_fault', reason: answer.reason };
    case 'refused':
      return toOutcome(
        platform === 'apns' ? apnsMeaning(answer) : fcmMeaning(answer),
        answer,
        answer.reason ?? `HTTP ${answer.status}`,
      );
  }
}

function apnsMeaning({ status, reason }: Refusal): Meaning {
  const meaning = reason === null ? undefined : apnsReasons[reason];
  if (meaning !== undefined) return meaning;
  if (status === 429) return apnsThrottle;
  if (status >= 500) return apnsTrouble;
  return status === 401 || status === 403 ? 'config_fault' : 'message_fault';
}

function fcmMeaning({ status, reason, namesFields }: Refusal): Meaning {
  // The one code with two meanings: a token that is none, or a message that is wrong.
  if (reason === 'INVALID_ARGUMENT') return namesFields ? 'message_fault' : 'dead';
  const meaning = reason === null ? undefined : fcmReasons[reason];
  if (meaning !== undefined) return meaning;
  if (status === 429) return fcmThrottle;
  if (status >= 500) return fcmTrouble;
  // Without a code of FCM's own these speak of the project or of our access, never of the token.
  return status === 401 || status === 403 || status === 404 ? 'config_fault' : 'message_fault';
}

function toOutcome(meaning: Meaning, answer: Refusal, reason: string): Outcome {
  switch (meaning) {
    case 'dead':
    case 'dead_for_app':
      return {
        kind: 'dead_token',
        reason,
        deadSince: answer.deadSince,
        ofApp: meaning === 'dead_for_app',
      };
    case 'message_fault':
    case 'config_fault':
      return { kind: meaning, reason };
    default:
      return { kind: 'retry', reason, ...meaning, retryAfterMs: answer.retryAfterMs };
  }
}
