import type { ApnsEnvironment, Platform } from '#contracts';
import type { ProviderAnswer, Refusal } from '#push-transport';

/**
 * Why an attempt is worth repeating.
 *
 * - `trouble`: the provider answered that it cannot at the moment.
 * - `throttled`: it answered that there is too much.
 * - `connection`: it did not answer; nobody knows whether the push was delivered.
 */
export type RetryClass = 'trouble' | 'throttled' | 'connection';

/**
 * What an attempt means for its device, its delivery and its provider.
 *
 * - `delivered`: with Apple's environment that took it, where there was one to find out.
 * - `dead_token`: the device is removed, unless it was registered again since. `deadSince` is when the
 *   provider learnt of it in UNIX milliseconds, null: by the time of the attempt. `ofApp`: only the
 *   device's app is meant. `isSuspect`: a wrong topic, project or environment of ours brings the same
 *   answer, so that many at once are not to be believed.
 * - `retry`: later, after at least `retryAfterMs`, and `firstDelayMs` and growing from there. `scope`
 *   says whom it speaks of: this device, or everything that is sent with the same credential.
 * - `message_fault`: ours, in this message; it ends here and is kept for inspection. `wasSent`: the
 *   provider said so, and is there.
 * - `config_fault`: ours, in the configuration; the way to the provider shuts, and nothing is lost.
 */
export type Outcome =
  | { readonly kind: 'delivered'; readonly environment: ApnsEnvironment | null }
  | {
      readonly kind: 'dead_token';
      readonly reason: string;
      readonly deadSince: number | null;
      readonly ofApp: boolean;
      readonly isSuspect: boolean;
    }
  | {
      readonly kind: 'retry';
      readonly class: RetryClass;
      readonly scope: 'device' | 'provider';
      readonly reason: string;
      readonly firstDelayMs: number;
      readonly retryAfterMs: number | null;
    }
  | { readonly kind: 'message_fault'; readonly reason: string; readonly wasSent: boolean }
  | { readonly kind: 'config_fault'; readonly reason: string };

type Meaning =
  | 'dead'
  | 'suspect'
  | 'suspect_for_app'
  | 'message_fault'
  | 'config_fault'
  | {
      readonly class: RetryClass;
      readonly scope: 'device' | 'provider';
      readonly firstDelayMs: number;
    };

/** The connection was at fault: soon, on another one. */
const reconnect: Meaning = { class: 'trouble', scope: 'provider', firstDelayMs: 500 };
const apnsTrouble: Meaning = { class: 'trouble', scope: 'provider', firstDelayMs: 1000 };
const apnsThrottle: Meaning = { class: 'throttled', scope: 'provider', firstDelayMs: 30_000 };
const apnsDeviceThrottle: Meaning = { class: 'throttled', scope: 'device', firstDelayMs: 30_000 };
/** Google asks for at least ten seconds after a 5xx, and for a minute after a 429 that names no time. */
const fcmTrouble: Meaning = { class: 'trouble', scope: 'provider', firstDelayMs: 10_000 };
const fcmThrottle: Meaning = { class: 'throttled', scope: 'provider', firstDelayMs: 60_000 };

/**
 * Every reason that Apple documents for a push to a device, with the spelling of one that it really
 * sends. Those of broadcasts to channels go by their status.
 */
const apnsReasons: Readonly<Record<string, Meaning>> = {
  BadCollapseId: 'message_fault',
  // The transport has tried the other environment before it says so.
  BadDeviceToken: 'suspect',
  BadExpirationDate: 'message_fault',
  BadMessageId: 'message_fault',
  BadPriority: 'message_fault',
  BadTopic: 'message_fault',
  DeviceTokenNotForTopic: 'suspect_for_app',
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
  TooManyRequests: apnsDeviceThrottle,
  InternalServerError: apnsTrouble,
  ServiceUnavailable: apnsTrouble,
  Shutdown: reconnect,
};

/** Every error code of FCM v1 that means one thing. */
const fcmReasons: Readonly<Record<string, Meaning>> = {
  UNREGISTERED: 'dead',
  SENDER_ID_MISMATCH: 'suspect',
  THIRD_PARTY_AUTH_ERROR: 'config_fault',
  QUOTA_EXCEEDED: fcmThrottle,
  UNAVAILABLE: fcmTrouble,
  INTERNAL: fcmTrouble,
};

/** A provider that may be asked again at once is asked again soon. */
const LEAST_DELAY_MS = 500;

/** Nothing that a message or its token did: a time-out, or a wrong connection, on the way. */
const passingStatuses: ReadonlySet<number> = new Set([408, 421, 425]);

/** What an answer of a provider means. Sources: the providers' own documentation of their errors. */
export function outcomeOf(
  platform: Platform,
  answer: Exclude<ProviderAnswer, { kind: 'withdrawn' }>,
): Outcome {
  switch (answer.kind) {
    case 'accepted':
      return { kind: 'delivered', environment: answer.environment ?? null };
    case 'unanswered':
      return {
        kind: 'retry',
        class: 'connection',
        scope: 'provider',
        reason: answer.reason,
        firstDelayMs: 1000,
        retryAfterMs: null,
      };
    case 'unsendable':
      return { kind: 'message_fault', reason: answer.reason, wasSent: false };
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
  if (status === 429) return apnsDeviceThrottle;
  if (isTrouble(status)) return apnsTrouble;
  return status === 401 || status === 403 ? 'config_fault' : 'message_fault';
}

function fcmMeaning({ status, reason, namesFields }: Refusal): Meaning {
  // The one code with two meanings: a token that is none, or a message that is wrong.
  if (reason === 'INVALID_ARGUMENT') return namesFields ? 'message_fault' : 'suspect';
  const meaning = reason === null ? undefined : fcmReasons[reason];
  if (meaning !== undefined) return meaning;
  if (status === 429) return fcmThrottle;
  if (isTrouble(status)) return fcmTrouble;
  // Without a code of FCM's own these speak of the project or of our access, never of the token.
  return status === 401 || status === 403 || status === 404 ? 'config_fault' : 'message_fault';
}

/** Below 400 it is no answer of a provider, but of something that stands before it. */
const isTrouble = (status: number): boolean =>
  status >= 500 || status < 400 || passingStatuses.has(status);

function toOutcome(meaning: Meaning, answer: Refusal, reason: string): Outcome {
  switch (meaning) {
    case 'dead':
    case 'suspect':
    case 'suspect_for_app':
      return {
        kind: 'dead_token',
        reason,
        deadSince: answer.deadSince,
        ofApp: meaning === 'suspect_for_app',
        isSuspect: meaning !== 'dead',
      };
    case 'message_fault':
      return { kind: meaning, reason, wasSent: true };
    case 'config_fault':
      return { kind: meaning, reason };
    default:
      return {
        kind: 'retry',
        reason,
        ...meaning,
        firstDelayMs: firstDelayMs(meaning.firstDelayMs, answer.retryAfterMs),
        retryAfterMs: answer.retryAfterMs,
      };
  }
}

/** What the providers ask for in general is for answers that name no time of their own. */
const firstDelayMs = (usual: number, asked: number | null): number =>
  asked === null ? usual : Math.min(usual, Math.max(asked, LEAST_DELAY_MS));
