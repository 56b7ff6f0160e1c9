import { type Outcome, storable } from '../outcomes.rules.js';
import type { ProviderAnswer, Refusal } from '../transport/provider-answer.rules.js';
import type { OutgoingPush, WebPushTarget } from '../transport/push-transport.js';
import { SIGN_IN_REFUSED, WRONG_KEY } from './web-push-answer.rules.js';
import { knownServiceOf, parseEndpoint } from './web-push-endpoint.rules.js';

/** The endpoint is not, or no longer, one to which this server sends. */
export const NOT_ALLOWED = 'EndpointNotAllowed';
/** The VAPID key of the subscription was removed. */
export const UNKNOWN_KEY = 'UnknownVapidKey';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A broken proxy answers 404 too: a host that users have chosen has to say so twice, this long apart. */
const GONE_AFTER_MS = HOUR_MS;
/** For how long a service of UnifiedPush may have no subscriber. */
const UNSUBSCRIBED_AFTER_MS = 12 * HOUR_MS;
/** For how long a host that users have chosen may fail. */
const FAILING_AFTER_MS = 14 * DAY_MS;
/** So many refusals in a row end a subscription. */
const MAX_REFUSALS = 5;

const LEAST_DELAY_MS = 10_000;
const THROTTLED_MS = MINUTE_MS;
const UNSUBSCRIBED_MS = 10 * MINUTE_MS;
const GONE_MS = MINUTE_MS;

/** Statuses of time-outs and wrong connections. */
const temporaryStatuses: ReadonlySet<number> = new Set([408, 421, 425]);

/** A subscription and the moment of an answer about it. */
interface Subject {
  /** Whether the service of a browser has answered, and not a host that users have chosen. */
  readonly isKnown: boolean;
  readonly target: Pick<WebPushTarget, 'failingSince' | 'goneSince' | 'refusedCount'>;
  /** UNIX milliseconds. */
  readonly now: number;
}

type Answer = Exclude<ProviderAnswer, { kind: 'withdrawn' }>;

/**
 * Maps an answer to a push to a subscription to its outcome, by what its service has answered before. Of the answers of a host that
 * users have chosen nothing follows for any other.
 */
export function webPushOutcome(
  answer: Answer,
  { token, web }: Pick<OutgoingPush, 'token' | 'web'>,
  now: number,
): Outcome {
  const target = web ?? { failingSince: null, goneSince: null, refusedCount: 0 };
  const isKnown = knownServiceOf(parseEndpoint(token)?.host ?? '') !== null;
  const subject: Subject = { isKnown, target, now };
  switch (answer.kind) {
    case 'accepted':
      return { kind: 'delivered', environment: null };
    case 'unanswered':
      return unanswered(answer, subject);
    case 'unsendable':
      if (answer.reason === UNKNOWN_KEY) return deadWithItsKey(answer.reason);
      return answer.reason === NOT_ALLOWED
        ? dead(answer.reason, true)
        : { kind: 'message_fault', reason: answer.reason, wasSent: false };
    case 'misconfigured':
      return { kind: 'config_fault', reason: storable(answer.reason), wasSent: false };
    case 'refused':
      return refused(answer, subject);
  }
}

function unanswered(
  { reason, wasSent = false }: Extract<Answer, { kind: 'unanswered' }>,
  subject: Subject,
): Outcome {
  // A proxy opens no tunnel to a host that is down, or that users should not have chosen: this too says nothing of other hosts.
  const isOfAll = subject.isKnown && reason !== 'name';
  const isFailure = !subject.isKnown && reason !== 'proxy' && reason !== 'busy';
  if (isFailure && hasFailedForLong(subject)) return dead(reason, true);
  return {
    kind: 'retry',
    class: wasSent ? 'unanswered' : 'connection',
    scope: isOfAll ? 'provider' : 'host',
    reason,
    firstDelayMs: LEAST_DELAY_MS,
    retryAfterMs: null,
    ...(isFailure && markOfFailure(subject)),
  };
}

function refused(answer: Refusal, subject: Subject): Outcome {
  const { status } = answer;
  const reason = storable(answer.reason ?? `HTTP ${status}`);
  if (status === 404 || status === 410) return gone(reason, subject);
  if (status === 429) return again(answer, subject, 'throttled', THROTTLED_MS);
  if (status === 507) return unsubscribed(answer, subject);
  if (status >= 500 || temporaryStatuses.has(status)) {
    if (!subject.isKnown && hasFailedForLong(subject)) return dead(reason, true);
    const outcome = again(answer, subject, 'temporary', LEAST_DELAY_MS);
    return subject.isKnown ? outcome : { ...outcome, ...markOfFailure(subject) };
  }
  // Of a host that users have chosen it may be the page of a proxy.
  if (reason === WRONG_KEY && subject.isKnown) return deadWithItsKey(reason);
  if (reason === SIGN_IN_REFUSED && subject.isKnown) {
    return { kind: 'config_fault', reason, wasSent: true };
  }
  if (status === 413) return { kind: 'message_fault', reason: 'PayloadTooLarge', wasSent: true };
  return subject.target.refusedCount + 1 >= MAX_REFUSALS
    ? dead(reason, true)
    : { kind: 'message_fault', reason, wasSent: true, mark: 'refused' };
}

function gone(reason: string, { isKnown, target, now }: Subject): Outcome {
  if (isKnown) return dead(reason, false);
  if (target.goneSince !== null && now - target.goneSince >= GONE_AFTER_MS) {
    return dead(reason, false);
  }
  return {
    kind: 'retry',
    class: 'unclear',
    scope: 'host',
    reason,
    firstDelayMs: GONE_MS,
    retryAfterMs: null,
    mark: 'gone',
  };
}

function unsubscribed(answer: Refusal, subject: Subject): Outcome {
  const { isKnown, target, now } = subject;
  if (isKnown) return again(answer, subject, 'temporary', UNSUBSCRIBED_MS);
  if (target.goneSince !== null && now - target.goneSince >= UNSUBSCRIBED_AFTER_MS) {
    return dead('HTTP 507', false);
  }
  return { ...again(answer, subject, 'temporary', UNSUBSCRIBED_MS), mark: 'gone' };
}

/** The first failure is remembered. */
const markOfFailure = ({ target }: Subject) =>
  target.failingSince === null ? ({ mark: 'failing' } as const) : {};

/** Days without any push are no failure. Services of browsers say when a subscription is gone. */
const hasFailedForLong = ({ target: { failingSince }, now }: Subject): boolean =>
  failingSince !== null && now - failingSince >= FAILING_AFTER_MS;

const dead = (reason: string, isSuspect: boolean) =>
  ({ kind: 'dead_token', reason, deadSince: null, ofApp: false, isSuspect }) as const;

/** Another account may have subscribed with the right key at the same endpoint. */
const deadWithItsKey = (reason: string): Outcome => ({ ...dead(reason, true), ofApp: true });

function again(
  { status, reason, retryAfterMs }: Refusal,
  { isKnown }: Subject,
  retryClass: 'temporary' | 'throttled',
  usualMs: number,
): Extract<Outcome, { kind: 'retry' }> {
  const least = Math.max(retryAfterMs ?? usualMs, LEAST_DELAY_MS);
  return {
    kind: 'retry',
    class: retryClass,
    scope: isKnown ? 'provider' : 'host',
    reason: storable(reason ?? `HTTP ${status}`),
    firstDelayMs: Math.min(usualMs, least),
    retryAfterMs,
  };
}
