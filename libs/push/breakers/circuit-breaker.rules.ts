import {
  breakerAt,
  type BreakerState,
  close,
  type Closed,
  halfOpen,
  type HalfOpen,
  maxInFlightOf,
  type TimeAndChance,
  open,
  type Open,
  PAUSES,
} from './breaker-state.rules.js';
import {
  type Failure,
  hasAnsweredOthers,
  ISOLATED_PAUSE_MS,
  isKnownFailure,
  isProviderFailure,
  misconfiguredSinceAnswer,
  type QuorumKey,
  type Signal,
  withAnswer,
  withFailure,
} from './provider-signals.rules.js';

/** The number of allowed pushes in flight at which the breaker closes after an outage. */
const FULL_RAMP = 32;
/** Retry delay while all half-open permits are taken. */
const RECHECK_MS = 250;
/** A permit without a result is given up after this. */
const LOST_PERMIT_MS = 30_000;
/** The permission to send one push. */
export interface Permit {
  readonly kind: 'granted';
  readonly quorumKey: QuorumKey;
  /** UNIX milliseconds. */
  readonly acquiredAt: number;
}

/** A breaker after a permit was asked for, or a signal recorded. */
interface Step {
  readonly breaker: BreakerState;
  /** When to try the push again, in UNIX milliseconds, without counting the attempt; null: it may be sent, or by its outcome. */
  readonly retryAt: number | null;
}

/** Asks for a permit to send a push. */
export function acquire(before: BreakerState, now: number): Step {
  const breaker = breakerAt(before, now);
  if (breaker.state === 'closed') return { breaker, retryAt: null };
  if (breaker.state === 'open') {
    if (now < breaker.reopensAt) return { breaker, retryAt: breaker.reopensAt };
    return { breaker: { ...halfOpen(breaker), inFlight: 1, lastAcquiredAt: now }, retryAt: null };
  }
  const isFree = breaker.inFlight < maxInFlightOf(breaker, now);
  if (!isFree && now - breaker.lastAcquiredAt < LOST_PERMIT_MS)
    return { breaker, retryAt: now + RECHECK_MS };
  const inFlight = isFree ? breaker.inFlight + 1 : 1;
  return { breaker: { ...breaker, inFlight, lastAcquiredAt: now }, retryAt: null };
}

/** Records the result of a push. A result is late if the breaker has opened since its permit. */
export function record(
  before: BreakerState,
  signal: Signal,
  permit: Permit,
  moment: TimeAndChance,
): Step {
  const current = breakerAt(before, moment.now);
  const isLate = permit.acquiredAt < current.openedAt;
  const breaker = isLate ? current : released(current);
  if (signal.kind === 'uncounted') return { breaker, retryAt: retryAtOf(signal, moment) };
  switch (breaker.state) {
    case 'closed':
      return isLate
        ? recordLateClosed(breaker, signal, moment)
        : recordClosed(breaker, signal, moment);
    case 'open':
      return recordOpen(breaker, signal, moment);
    case 'half_open':
      return isLate
        ? recordLateHalfOpen(breaker, signal, moment)
        : recordHalfOpen(breaker, signal, moment);
  }
}

type Counted = Exclude<Signal, { kind: 'uncounted' }>;

/** The breaker after the end of one of its pushes in flight. */
const released = (breaker: BreakerState): BreakerState =>
  breaker.state === 'half_open'
    ? { ...breaker, inFlight: Math.max(0, breaker.inFlight - 1) }
    : breaker;

const retryAtOf = (
  { retryAfterMs }: Extract<Signal, { kind: 'uncounted' }>,
  { now }: TimeAndChance,
): number | null => (retryAfterMs === null ? null : now + retryAfterMs);

function recordClosed(breaker: Closed, signal: Counted, moment: TimeAndChance): Step {
  const { now } = moment;
  if (signal.kind === 'answered') {
    return retryByOutcome({
      ...breaker,
      recent: withAnswer(breaker.recent, signal.quorumKey, now),
    });
  }
  const recent = withFailure(breaker.recent, signal, now);
  if (signal.cause === 'misconfigured') {
    const isRepeated = isKnownFailure(breaker.recent, signal, now);
    return recordMisconfiguredClosed({ ...breaker, recent }, signal, isRepeated, moment);
  }
  if (!isProviderFailure(recent, signal)) return retryByOutcome({ ...breaker, recent });
  return retryByBreaker(open(breaker, signal, moment), signal, moment);
}

/** While other accounts are answered, the configuration is right: only this account waits. */
function recordMisconfiguredClosed(
  breaker: Closed,
  failure: Failure,
  isRepeated: boolean,
  moment: TimeAndChance,
): Step {
  if (!hasAnsweredOthers(breaker.recent, failure))
    return recordMisconfigured(breaker, failure, moment);
  const pauseMs = isRepeated ? ISOLATED_PAUSE_MS : PAUSES.misconfigured.firstMs;
  return { breaker, retryAt: moment.now + pauseMs };
}

function recordLateClosed(breaker: Closed, signal: Counted, { now }: TimeAndChance): Step {
  const isMisconfigured = signal.kind === 'failed' && signal.cause === 'misconfigured';
  return { breaker, retryAt: isMisconfigured ? now + PAUSES.misconfigured.firstMs : null };
}

/** A late failure does not open the breaker again; a late Retry-After may extend the pause. */
function recordOpen(breaker: Open, signal: Counted, moment: TimeAndChance): Step {
  if (signal.kind !== 'failed') return retryByOutcome(breaker);
  const isThrottle = signal.cause === 'throttled' && breaker.cause === 'throttled';
  const asked = isThrottle ? moment.now + signal.pauseMs : 0;
  return retryByBreaker(
    { ...breaker, reopensAt: Math.max(breaker.reopensAt, asked) },
    signal,
    moment,
  );
}

function recordLateHalfOpen(breaker: HalfOpen, signal: Counted, moment: TimeAndChance): Step {
  if (signal.kind !== 'failed') return retryByOutcome(breaker);
  const isMisconfigured = signal.cause === 'misconfigured' && breaker.cause === 'misconfigured';
  return isMisconfigured && !isKnown(signal, breaker.misconfiguredKeys)
    ? recordMisconfigured(breaker, signal, moment)
    : retryByBreaker(breaker, signal, moment);
}

function recordHalfOpen(breaker: HalfOpen, signal: Counted, moment: TimeAndChance): Step {
  // A throttle shows that the provider is up, which was the question.
  const isAnswer =
    signal.kind === 'answered' || (signal.cause === 'throttled' && breaker.cause !== 'throttled');
  if (isAnswer) {
    const maxInFlight = breaker.maxInFlight + 1;
    const isRecovered =
      breaker.cause === 'misconfigured' || (breaker.cause === 'outage' && maxInFlight > FULL_RAMP);
    if (isRecovered) return retryByOutcome(close(breaker, moment.now));
    return retryByOutcome({
      ...breaker,
      maxInFlight,
      answeredAt: breaker.answeredAt ?? moment.now,
    });
  }
  if (signal.cause === 'misconfigured') return recordMisconfigured(breaker, signal, moment);
  // One failure among successes halves the limit and does not open the breaker.
  if (breaker.maxInFlight > 1)
    return retryByOutcome({ ...breaker, maxInFlight: Math.floor(breaker.maxInFlight / 2) });
  return retryByBreaker(open(breaker, signal, moment), signal, moment);
}

/**
 * The provider answered as misconfigured. One account does not stop the others: it waits, and they try one at a
 * time, until one is answered or the quorum has failed in the same way.
 */
function recordMisconfigured(
  breaker: Closed | HalfOpen,
  failure: Failure,
  moment: TimeAndChance,
): Step {
  const isSuspected = breaker.state === 'half_open' && breaker.cause === 'misconfigured';
  const known = isSuspected ? breaker.misconfiguredKeys : misconfiguredBefore(breaker);
  const isRepeated = isKnown(failure, known);
  const pause = isSuspected && !isRepeated ? breaker.pause : undefined;
  const misconfiguredKeys = isRepeated ? known : [...known, ...keysOf(failure)];
  const opened = { ...open(breaker, failure, moment, pause), misconfiguredKeys };
  if (misconfiguredKeys.length >= failure.quorum) return retryByBreaker(opened, failure, moment);
  return {
    breaker: { ...halfOpen(opened), lastAcquiredAt: moment.now },
    retryAt: opened.reopensAt,
  };
}

/** The accounts misconfigured since the last answer of a closed breaker. The account of the failure is among them. */
const misconfiguredBefore = (breaker: Closed | HalfOpen): readonly QuorumKey[] =>
  breaker.state === 'closed' ? misconfiguredSinceAnswer(breaker.recent) : [];

const keysOf = ({ quorumKey }: Failure): readonly QuorumKey[] =>
  quorumKey === null ? [] : [quorumKey];

/** Whether the failure adds no account to the quorum. */
const isKnown = (failure: Failure, known: readonly QuorumKey[]): boolean =>
  known.length >= failure.quorum || keysOf(failure).every((key) => known.includes(key));

/** The outcome of the push alone decides about its retry. */
const retryByOutcome = (breaker: BreakerState): Step => ({ breaker, retryAt: null });

/** The push waits for the breaker. */
const retryByBreaker = (
  breaker: Open | HalfOpen,
  { minDelayMs }: Failure,
  { now }: TimeAndChance,
): Step => ({
  breaker,
  retryAt: Math.max(breaker.reopensAt, now + Math.max(minDelayMs, RECHECK_MS)),
});
