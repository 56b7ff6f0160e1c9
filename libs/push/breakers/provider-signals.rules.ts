import type { Outcome } from '#push/providers';

/** Why a breaker is open. */
export type BreakerCause = 'outage' | 'throttled' | 'misconfigured';

/**
 * Names the account that a push counts for in a quorum. At a push service, all servers that were registered from one network
 * count as one account; a server of unknown origin counts alone.
 */
export type QuorumKey = `${'account' | 'server'} ${number}` | `network ${string}`;

/** Whether the key stands for other installations, which can register themselves and choose their tokens. */
export const isTenant = (key: QuorumKey): boolean => !key.startsWith('account ');

/** A failure of the provider or of the connection to it. */
export interface Failure {
  readonly kind: 'failed';
  readonly cause: BreakerCause;
  readonly reason: string;
  /**
   * It counts once, however many devices the account has. Null when the provider was not reached: then it did
   * not see the token.
   */
  readonly quorumKey: QuorumKey | null;
  /** Whether the provider did not answer. */
  readonly isUnanswered: boolean;
  /** The number of accounts that must fail before the breaker opens. */
  readonly quorum: number;
  /** The least pause of the breaker, in milliseconds. */
  readonly pauseMs: number;
  /** The least delay of this push, in milliseconds. */
  readonly minDelayMs: number;
}

/** The meaning of an outcome for the breaker of the provider. */
export type Signal =
  | Failure
  /** The provider answered this push. */
  | { readonly kind: 'answered'; readonly quorumKey: QuorumKey }
  /** Nothing follows for the provider. `retryAfterMs`: the delay of the push; null if its outcome alone decides. */
  | { readonly kind: 'uncounted'; readonly retryAfterMs: number | null };

/** A Retry-After for one device stops all others for this at most. */
const MAX_FOR_ONE_DEVICE_MS = 60_000;
const QUORUM = { device: 10, host: 10, provider: 3 } as const;

/** The delay of an account that alone is answered as misconfigured. */
export const ISOLATED_PAUSE_MS = 60_000;

/** The push was not sent, or its answer is not of the provider. */
export const uncounted: Signal = { kind: 'uncounted', retryAfterMs: null };

/**
 * Maps an outcome of a push with this quorum key to a signal for the breaker. `isProven`: whether a push with this key was
 * delivered before. Refusals of pushes of others may be due to their tokens, and do not count.
 */
export function signalOf(outcome: Outcome, quorumKey: QuorumKey, isProven = true): Signal {
  const signal = signalIfProven(outcome, quorumKey);
  if (isProven || signal.kind !== 'failed' || signal.quorumKey === null) return signal;
  const isDelayed = signal.cause === 'misconfigured';
  return { kind: 'uncounted', retryAfterMs: isDelayed ? ISOLATED_PAUSE_MS : null };
}

function signalIfProven(outcome: Outcome, quorumKey: QuorumKey): Signal {
  const answered: Signal = { kind: 'answered', quorumKey };
  switch (outcome.kind) {
    case 'delivered':
    case 'dead_token':
      return answered;
    case 'message_fault':
      return outcome.wasSent ? answered : uncounted;
    case 'config_fault':
      return {
        kind: 'failed',
        cause: 'misconfigured',
        reason: outcome.reason,
        quorumKey,
        isUnanswered: false,
        quorum: QUORUM.provider,
        pauseMs: 0,
        minDelayMs: 0,
      };
    case 'retry':
      if (outcome.class === 'unclear' || outcome.scope === 'host') return uncounted;
      // The service sends for the other organisations.
      return outcome.class === 'unknown_organisation' ? answered : failureOf(outcome, quorumKey);
  }
}

function failureOf(outcome: Extract<Outcome, { kind: 'retry' }>, quorumKey: QuorumKey): Failure {
  const { class: retryClass, scope, reason, firstDelayMs, retryAfterMs } = outcome;
  const isLate = retryClass === 'unanswered' && reason === 'deadline';
  const isUnanswered = retryClass === 'connection' || retryClass === 'unanswered';
  const asked = retryAfterMs ?? 0;
  // A 5xx with a Retry-After is a throttle.
  const isThrottle =
    retryClass === 'throttled' || (retryClass === 'temporary' && retryAfterMs !== null);
  const forAll = isThrottle && retryAfterMs === null && scope === 'provider' ? firstDelayMs : asked;
  return {
    kind: 'failed',
    cause: isThrottle ? 'throttled' : 'outage',
    reason,
    // One that the provider has may be late for its token.
    quorumKey: isUnanswered && !isLate ? null : quorumKey,
    isUnanswered,
    quorum: QUORUM[scope],
    pauseMs: scope === 'device' ? Math.min(forAll, MAX_FOR_ONE_DEVICE_MS) : forAll,
    minDelayMs: Math.max(asked, firstDelayMs),
  };
}

/** Shares are taken over the last five to ten seconds. */
const WINDOW_MS = 5_000;
const MIN_ANSWERS = 10;
/** The breaker opens at this share of failures. */
const TRIP_SHARE = 0.5;
/** This number of pushes in a row without an answer opens the breaker. */
const UNANSWERED_IN_A_ROW = 5;
/** So does this number of failures in a row of different accounts. */
const FAILURES_IN_A_ROW = 10;
/** More failures do not change the share in a way that matters. */
const MAX_KEPT = 200;

/** The recent answers of a provider, while its breaker is closed. */
export interface RecentAnswers {
  /** Failures since the last answer. */
  readonly failuresInARow: readonly Failure[];
  readonly current: Window;
  readonly previous: Window;
}

interface Window {
  /** UNIX milliseconds. */
  readonly since: number;
  readonly answered: number;
  /** The quorum key that was answered, or `several`; null when none was. */
  readonly answeredFor: QuorumKey | 'several' | null;
  readonly failures: readonly Failure[];
}

const emptyWindow = (since: number): Window => ({
  since,
  answered: 0,
  answeredFor: null,
  failures: [],
});

/** The signals of a provider that has not answered yet. */
export const noAnswers = (now: number): RecentAnswers => ({
  failuresInARow: [],
  current: emptyWindow(now),
  previous: emptyWindow(now),
});

/** One more push was answered. */
export function withAnswer(
  recent: RecentAnswers,
  quorumKey: QuorumKey,
  now: number,
): RecentAnswers {
  const { current, previous } = rotated(recent, now);
  const { answered, answeredFor } = current;
  const isFirst = answeredFor === null || answeredFor === quorumKey;
  return {
    failuresInARow: [],
    current: {
      ...current,
      answered: answered + 1,
      answeredFor: isFirst ? quorumKey : 'several',
    },
    previous,
  };
}

/** Whether a push of an account other than the failure's was answered in the last five to ten seconds. */
export const hasAnsweredOthers = (
  { current, previous }: RecentAnswers,
  { quorumKey }: Failure,
): boolean =>
  [current, previous].some(({ answeredFor }) => answeredFor !== null && answeredFor !== quorumKey);

/** The quorum keys answered as misconfigured since the last success. */
export const misconfiguredSinceAnswer = ({ failuresInARow }: RecentAnswers): readonly QuorumKey[] =>
  failuresInARow.flatMap(({ cause, quorumKey }) =>
    cause === 'misconfigured' ? (quorumKey ?? []) : [],
  );

/** Whether the same account has failed in the same way in the last five to ten seconds. */
export function isKnownFailure(recent: RecentAnswers, failure: Failure, now: number): boolean {
  const { current, previous } = rotated(recent, now);
  return [...current.failures, ...previous.failures].some((one) => isSame(one, failure));
}

/** One more push failed. The same failure of the same account counts once. */
export function withFailure(recent: RecentAnswers, failure: Failure, now: number): RecentAnswers {
  const { failuresInARow, current, previous } = rotated(recent, now);
  const kept = {
    failuresInARow: added(failuresInARow, failure, FAILURES_IN_A_ROW),
    current,
    previous,
  };
  const isKnown = [...current.failures, ...previous.failures].some((one) => isSame(one, failure));
  if (isKnown) return kept;
  return {
    ...kept,
    current: { ...current, failures: added(current.failures, failure, MAX_KEPT) },
  };
}

/** Whether the last failure concerns the provider, and not only some devices. */
export function isProviderFailure(recent: RecentAnswers, { cause, quorum }: Failure): boolean {
  if (cause === 'outage' && isOutageInARow(recent.failuresInARow)) return true;
  const { current, previous } = recent;
  const failures = [...current.failures, ...previous.failures];
  const answers = failures.length + current.answered + previous.answered;
  const count = countOf(failures, cause);
  if (count / answers < TRIP_SHARE) return false;
  return cause === 'outage' ? answers >= MIN_ANSWERS : count >= quorum;
}

function isOutageInARow(failuresInARow: readonly Failure[]): boolean {
  const outages = failuresInARow.filter(({ cause }) => cause === 'outage');
  const unanswered = outages.filter(({ isUnanswered }) => isUnanswered);
  return unanswered.length >= UNANSWERED_IN_A_ROW || outages.length >= FAILURES_IN_A_ROW;
}

const countOf = (failures: readonly Failure[], cause: BreakerCause): number =>
  failures.filter((one) => one.cause === cause).length;

const isSame = (one: Failure, other: Failure): boolean =>
  one.quorumKey !== null && one.quorumKey === other.quorumKey && one.cause === other.cause;

const added = (all: readonly Failure[], failure: Failure, limit: number): readonly Failure[] =>
  all.some((one) => isSame(one, failure)) ? all : [...all.slice(1 - limit), failure];

function rotated({ failuresInARow, current, previous }: RecentAnswers, now: number): RecentAnswers {
  // Negative after the clock was set back: these windows would last for as much longer.
  const ageMs = now - current.since;
  if (ageMs >= 0 && ageMs < WINDOW_MS) return { failuresInARow, current, previous };
  const isOver = ageMs < 0 || ageMs >= 2 * WINDOW_MS;
  return {
    failuresInARow,
    current: emptyWindow(now),
    previous: isOver ? emptyWindow(now) : current,
  };
}
