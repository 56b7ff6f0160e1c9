import {
  type BreakerCause,
  type Failure,
  noAnswers,
  type QuorumKey,
  type RecentAnswers,
} from './provider-signals.rules.js';

/** The pauses of a breaker, and how long it is half-open after its first answer. */
export const PAUSES = {
  outage: { firstMs: 1_000, maxMs: 30_000, rampMs: 5_000 },
  // Google asks to raise the rate over a minute.
  throttled: { firstMs: 1_000, maxMs: 30_000, rampMs: 60_000 },
  misconfigured: { firstMs: 5_000, maxMs: 300_000, rampMs: 0 },
} as const satisfies Record<BreakerCause, unknown>;

/** After a throttle the limit of pushes in flight rises by one in each of these. */
const THROTTLED_STEP_MS = 1_000;
/** A breaker that opens again within this continues with its last pause. */
const CALM_MS = 60_000;

interface Pause {
  readonly cause: BreakerCause;
  /** Before jitter. */
  readonly milliseconds: number;
}

/** The breaker while every push is sent. */
export interface Closed {
  readonly state: 'closed';
  readonly openedCount: number;
  readonly closedAt: number;
  /** The last pause; null when it never was open. */
  readonly pause: Pause | null;
  /** When it last opened: results of permits from before are ignored. */
  readonly openedAt: number;
  readonly recent: RecentAnswers;
}

interface NotClosed {
  readonly openedCount: number;
  readonly cause: BreakerCause;
  readonly reason: string;
  readonly pause: Pause;
  /** Since when it is not closed, in UNIX milliseconds. */
  readonly since: number;
  /** Results of permits from before are ignored. */
  readonly openedAt: number;
  readonly reopensAt: number;
  /** The quorum keys that were answered as misconfigured. */
  readonly misconfiguredKeys: readonly QuorumKey[];
}

/** The breaker while no push is sent. */
export interface Open extends NotClosed {
  readonly state: 'open';
}

/** The breaker while a few pushes are sent as a test. */
export interface HalfOpen extends NotClosed {
  readonly state: 'half_open';
  readonly inFlight: number;
  readonly maxInFlight: number;
  readonly lastAcquiredAt: number;
  /** When the first push in this state was answered; null before. */
  readonly answeredAt: number | null;
}

/** `closed`: every push is sent; `open`: none is, until the pause is over; `half_open`: a few are, as a test. */
export type BreakerState = Closed | Open | HalfOpen;

/** A time in UNIX milliseconds, and a random number from 0 up to 1 for jitter. */
export interface TimeAndChance {
  readonly now: number;
  readonly chance: number;
}

/** A breaker that never was open. */
export const closedBreaker = (now: number): Closed => ({
  state: 'closed',
  openedCount: 0,
  closedAt: now,
  pause: null,
  openedAt: 0,
  recent: noAnswers(now),
});

/** The breaker at this time: it closes after its ramp, and when the clock was set back, which would lengthen its pause. */
export function breakerAt(breaker: BreakerState, now: number): BreakerState {
  if (now < breaker.openedAt) return { ...closedBreaker(now), openedCount: breaker.openedCount };
  if (breaker.state !== 'half_open' || breaker.answeredAt === null) return breaker;
  return now - breaker.answeredAt >= PAUSES[breaker.cause].rampMs ? close(breaker, now) : breaker;
}

/**
 * Opens the breaker after a failure. Jitter takes up to a quarter off the pause, so that several workers do not return in the same
 * moment.
 */
export function open(
  breaker: BreakerState,
  failure: Failure,
  { now, chance }: TimeAndChance,
  pause: Pause = nextPause(breaker, failure.cause, now),
): Open {
  const waitMs = Math.max(pause.milliseconds * (1 - chance / 4), failure.pauseMs);
  return {
    state: 'open',
    openedCount: breaker.openedCount + (breaker.state === 'closed' ? 1 : 0),
    cause: failure.cause,
    reason: failure.reason,
    pause,
    since: breaker.state === 'closed' ? now : breaker.since,
    openedAt: now,
    reopensAt: Math.ceil(now + waitMs),
    misconfiguredKeys: [],
  };
}

/** The first pause of a cause, or twice the last one if the breaker opens again soon. */
function nextPause(breaker: BreakerState, cause: BreakerCause, now: number): Pause {
  const { firstMs, maxMs } = PAUSES[cause];
  const isCalm = breaker.state === 'closed' && now - breaker.closedAt >= CALM_MS;
  if (breaker.pause?.cause !== cause || isCalm) return { cause, milliseconds: firstMs };
  return { cause, milliseconds: Math.min(breaker.pause.milliseconds * 2, maxMs) };
}

/** The breaker after its pause: one push is sent as a test. */
export const halfOpen = (breaker: Open): HalfOpen => ({
  ...breaker,
  state: 'half_open',
  inFlight: 0,
  maxInFlight: 1,
  lastAcquiredAt: breaker.reopensAt,
  answeredAt: null,
});

/** The breaker after its ramp. Its pause is kept for the next opening. */
export const close = ({ openedCount, pause, openedAt }: HalfOpen, now: number): Closed => ({
  ...closedBreaker(now),
  openedCount,
  pause,
  openedAt,
});

/** How many pushes may be in flight now. */
export function maxInFlightOf({ cause, maxInFlight, answeredAt }: HalfOpen, now: number): number {
  if (cause !== 'throttled' || answeredAt === null) return maxInFlight;
  return Math.min(maxInFlight, 1 + Math.floor((now - answeredAt) / THROTTLED_STEP_MS));
}
