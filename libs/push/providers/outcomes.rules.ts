import type { ApnsEnvironment, PhonePlatform } from '#push/jobs';
import type { ProviderAnswer, Refusal } from './transport/provider-answer.rules.js';

/**
 * Why an attempt is worth repeating.
 *
 * - `temporary`: the provider answered with a temporary error.
 * - `throttled`: it answered that the rate is too high.
 * - `connection`: it was not reached; the push was not delivered.
 * - `unanswered`: it did not answer; the push may have been delivered.
 * - `unclear`: something answered that does not know the address, or refuses several pushes together; nothing follows for the
 *   device or the credential.
 * - `unknown_organisation`: the push service answers, but does not know the organisation.
 */
type RetryClass =
  'temporary' | 'throttled' | 'connection' | 'unanswered' | 'unclear' | 'unknown_organisation';

/**
 * The meaning of an attempt for its device, its delivery and its provider.
 *
 * - `delivered`: with Apple's environment, if it was unknown before, and Apple's id of the push in its development environment.
 * - `dead_token`: the device is removed, unless it was registered again since. `deadSince` is in UNIX
 *   milliseconds; null: the time of the attempt. `ofApp`: only the device's app is affected, of a subscription of Web Push only
 *   its VAPID key. `isSuspect`: a wrong topic, project or environment of ours has the same answer, so many of them together are
 *   not trusted.
 * - `retry`: after at least `retryAfterMs`, with a delay that grows from `firstDelayMs`. `scope`: this
 *   device, or every push with the same credential. `host`: a server that users have chosen, of which nothing follows for others.
 * - `message_fault`: the message is invalid; the delivery ends and becomes a dead letter. `wasSent`: the
 *   provider has answered so.
 * - `config_fault`: our configuration is wrong; the circuit breaker opens, and no delivery is lost. `wasSent`: the provider has
 *   answered so; otherwise we cannot even sign in.
 */
export type Outcome =
  | {
      readonly kind: 'delivered';
      readonly environment: ApnsEnvironment | null;
      readonly uniqueId?: string;
    }
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
      readonly scope: 'device' | 'provider' | 'host';
      readonly reason: string;
      readonly firstDelayMs: number;
      readonly retryAfterMs: number | null;
      readonly mark?: SubscriptionMark;
    }
  | {
      readonly kind: 'message_fault';
      readonly reason: string;
      readonly wasSent: boolean;
      readonly mark?: SubscriptionMark;
    }
  | { readonly kind: 'config_fault'; readonly reason: string; readonly wasSent: boolean };

/** What to remember about a subscription of Web Push: its service fails, says that it is gone, or has refused a push. */
type SubscriptionMark = 'failing' | 'gone' | 'refused';

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

/** The connection was at fault: a short delay, then another connection. */
const reconnect: Meaning = { class: 'temporary', scope: 'provider', firstDelayMs: 500 };
const apnsTemporary: Meaning = { class: 'temporary', scope: 'provider', firstDelayMs: 1000 };
const apnsThrottle: Meaning = { class: 'throttled', scope: 'provider', firstDelayMs: 30_000 };
const apnsDeviceThrottle: Meaning = { class: 'throttled', scope: 'device', firstDelayMs: 30_000 };
/**
 * Google requires ten seconds after a 5xx and after no answer, and a minute after a 429 without Retry-After. The app shows
 * a repeated push again.
 */
const FCM_LEAST_DELAY_MS = 10_000;
const fcmTemporary: Meaning = {
  class: 'temporary',
  scope: 'provider',
  firstDelayMs: FCM_LEAST_DELAY_MS,
};
const fcmThrottle: Meaning = { class: 'throttled', scope: 'provider', firstDelayMs: 60_000 };

/** A 404 that the provider did not give a reason for: a front end or a proxy does not know the address, perhaps by mistake. */
const unclear: Meaning = { class: 'unclear', scope: 'device', firstDelayMs: 30_000 };

/**
 * Every documented reason of Apple for a push to a device. Reasons of broadcasts are mapped by their status.
 */
const apnsReasons: Readonly<Record<string, Meaning>> = {
  BadCollapseId: 'message_fault',
  // The transport has already tried the other environment.
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
  // The transport has already renewed its provider token: our clock is wrong.
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
  InternalServerError: apnsTemporary,
  ServiceUnavailable: apnsTemporary,
  Shutdown: reconnect,
};

/** Every error code of FCM v1 with a single meaning. */
const fcmReasons: Readonly<Record<string, Meaning>> = {
  UNREGISTERED: 'dead',
  SENDER_ID_MISMATCH: 'suspect',
  THIRD_PARTY_AUTH_ERROR: 'config_fault',
  QUOTA_EXCEEDED: fcmThrottle,
  UNAVAILABLE: fcmTemporary,
  INTERNAL: fcmTemporary,
};

const serviceTemporary: Meaning = { class: 'temporary', scope: 'provider', firstDelayMs: 1000 };
const serviceThrottle: Meaning = { class: 'throttled', scope: 'provider', firstDelayMs: 10_000 };
/** The reason of pushes that a push service refuses together for a fault that only some of them may have. */
export const REFUSED_TOGETHER = 'refused together with others';

/** The jitter spreads them over several requests. */
const refusedTogether: Meaning = { class: 'unclear', scope: 'device', firstDelayMs: 5000 };

/** An upload of the organisations starts immediately. */
const unknownRealm: Meaning = {
  class: 'unknown_organisation',
  scope: 'device',
  firstDelayMs: 5000,
};

/** The longest text of our own has the answer of a push service. */
const MAX_REASON_LENGTH = 300;

/** Temporary faults of the transmission: a time-out, or a wrong connection. */
const temporaryStatuses: ReadonlySet<number> = new Set([408, 421, 425]);

/** Who answers a push: a provider or, on a server that relays, the push service of another server. */
type AnswerSource = PhonePlatform | 'push service';

/** The least delay after a Retry-After of zero. */
const LEAST_DELAYS_MS: Readonly<Record<AnswerSource, number>> = {
  apns: 500,
  fcm: FCM_LEAST_DELAY_MS,
  'push service': 500,
};

/** Maps an answer of a provider to its outcome. Sources: the providers' documentation of their errors. */
export function outcomeOf(
  source: AnswerSource,
  answer: Exclude<ProviderAnswer, { kind: 'withdrawn' }>,
): Outcome {
  switch (answer.kind) {
    case 'accepted':
      return {
        kind: 'delivered',
        environment: answer.environment ?? null,
        ...(answer.uniqueId !== undefined && { uniqueId: storable(answer.uniqueId) }),
      };
    case 'unanswered':
      return unansweredOutcome(source, answer);
    case 'unsendable':
      return { kind: 'message_fault', reason: answer.reason, wasSent: false };
    case 'misconfigured':
      return { kind: 'config_fault', reason: storable(answer.reason), wasSent: false };
    case 'refused': {
      const reason = answer.reason ?? `HTTP ${answer.status}`;
      return toOutcome(source, meaningOf(source, answer), answer, storable(reason));
    }
  }
}

/** Apple replaces a repeated push on the screen; Google, also behind a push service, does not. */
function unansweredOutcome(
  source: AnswerSource,
  { reason, wasSent = false }: Extract<ProviderAnswer, { kind: 'unanswered' }>,
): Outcome {
  const isVisible = wasSent && source !== 'apns';
  return {
    kind: 'retry',
    class: wasSent ? 'unanswered' : 'connection',
    scope: 'provider',
    reason,
    firstDelayMs: isVisible ? FCM_LEAST_DELAY_MS : 1000,
    retryAfterMs: null,
  };
}

function meaningOf(source: AnswerSource, answer: Refusal): Meaning {
  switch (source) {
    case 'apns':
      return apnsMeaning(answer);
    case 'fcm':
      return fcmMeaning(answer);
    case 'push service':
      return serviceMeaning(answer);
  }
}

/** Sign-ins that the service refuses are not refusals of a push but a wrong configuration. */
function serviceMeaning({ status, reason }: Refusal): Meaning {
  if (reason === 'DELETED_BY_SERVICE') return 'dead';
  if (reason === 'MISSING_REMOTE_REALM') return unknownRealm;
  if (reason === REFUSED_TOGETHER) return refusedTogether;
  if (status === 429) return serviceThrottle;
  return isTemporary(status) ? serviceTemporary : 'message_fault';
}

function apnsMeaning({ status, reason }: Refusal): Meaning {
  const meaning = knownMeaning(apnsReasons, reason);
  if (meaning !== undefined) return meaning;
  if (status === 429) return apnsDeviceThrottle;
  if (isTemporary(status)) return apnsTemporary;
  if (status === 404 && reason === null) return unclear;
  return status === 401 || status === 403 ? 'config_fault' : 'message_fault';
}

function fcmMeaning({ status, reason, invalidFields }: Refusal): Meaning {
  // The one code with two meanings: an invalid token, or an invalid message.
  if (reason === 'INVALID_ARGUMENT') return invalidFields === 'other' ? 'message_fault' : 'suspect';
  const meaning = knownMeaning(fcmReasons, reason);
  if (meaning !== undefined) return meaning;
  if (status === 429) return fcmThrottle;
  if (isTemporary(status)) return fcmTemporary;
  // Without an error code of FCM no answer concerns the token.
  if (status === 404) return unclear;
  return status === 401 || status === 403 ? 'config_fault' : 'message_fault';
}

/** A reason may also be the name of a member that every object has. */
const knownMeaning = (
  meanings: Readonly<Record<string, Meaning>>,
  reason: string | null,
): Meaning | undefined =>
  reason !== null && Object.hasOwn(meanings, reason) ? meanings[reason] : undefined;

/** The provider chooses its reasons, and each attempt stores one. PostgreSQL stores no null character. */
export const storable = (reason: string): string =>
  reason.slice(0, MAX_REASON_LENGTH).replaceAll(/\p{Cc}/gu, ' ');

/** A status below 400 comes from a proxy and not from the provider. */
const isTemporary = (status: number): boolean =>
  status >= 500 || status < 400 || temporaryStatuses.has(status);

function toOutcome(
  source: AnswerSource,
  meaning: Meaning,
  answer: Refusal,
  reason: string,
): Outcome {
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
    case 'config_fault':
      return { kind: meaning, reason, wasSent: true };
    default:
      return {
        kind: 'retry',
        reason,
        ...meaning,
        firstDelayMs: shortenedDelay(source, meaning.firstDelayMs, answer.retryAfterMs),
        retryAfterMs: answer.retryAfterMs,
      };
  }
}

/** The usual delay applies to answers without a Retry-After. */
const shortenedDelay = (source: AnswerSource, usual: number, asked: number | null): number =>
  asked === null ? usual : Math.min(usual, Math.max(asked, LEAST_DELAYS_MS[source]));
