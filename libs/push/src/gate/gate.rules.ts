import type { Failure, GateCause, Signal } from './gate-signal.rules.js';
import {
  doubtersSinceAnswer,
  hasAnsweredOthers,
  isKnownFailure,
  isOfProvider,
  noAnswers,
  type RecentAnswers,
  withAnswer,
  withFailure,
} from './recent-answers.rules.js';

const CAUSES = {
  outage: { firstPauseMs: 1_000, longestPauseMs: 30_000, rampMs: 5_000 },
  // Google asks to come back over a minute, and not all at once.
  throttled: { firstPauseMs: 1_000, longestPauseMs: 30_000, rampMs: 60_000 },
  misconfigured: { firstPauseMs: 5_000, longestPauseMs: 300_000, rampMs: 0 },
} as const satisfies Record<GateCause, unknown>;

/** When as many as this may be under way at a time after an outage the gate is open to all again. */
const FULL_RAMP = 32;
/** While throttled, one more at a time is let through in each of these. */
const THROTTLED_STEP_MS = 1_000;
/** Who finds the few places taken that there are looks again after this. */
const LOOK_AGAIN_MS = 250;
/** A push that passed and was never heard of again does not keep the gate waiting for longer. */
const LOST_MS = 30_000;
/** A gate that shuts again so soon goes on with the pause that it had. */
const CALM_MS = 60_000;

/** While others are answered, an account that is told again and again that the configuration is wrong waits for this. */
const ISOLATED_PAUSE_MS = 60_000;

/** A push that was let through, and the account that it is for. */
export interface Passed {
  readonly userId: number;
  /** When the gate let it pass, in UNIX milliseconds. */
  readonly admittedAt: number;
}

interface Pause {
  readonly cause: GateCause;
  /** Without what chance takes off. */
  readonly milliseconds: number;
}

interface Closed {
  readonly state: 'closed';
  readonly openedCount: number;
  readonly closedAt: number;
  /** The pause before it closed; null when it never was open. */
  readonly pause: Pause | null;
  /** When it was last shut: answers to what passed before are old news. */
  readonly shutAt: number;
  readonly recent: RecentAnswers;
}

interface Troubled {
  readonly openedCount: number;
  readonly cause: GateCause;
  readonly reason: string;
  readonly pause: Pause;
  /** Since when it is not closed, in UNIX milliseconds. */
  readonly since: number;
  /** Answers to what passed before are old news. */
  readonly shutAt: number;
  readonly reopensAt: number;
  /** Accounts for which the configuration was called wrong. */
  readonly witnesses: readonly number[];
}

interface Open extends Troubled {
  readonly state: 'open';
}

interface HalfOpen extends Troubled {
  readonly state: 'half_open';
  readonly underWay: number;
  /** How many may be under way. */
  readonly places: number;
  readonly lastAdmittedAt: number;
  /** When the first push was answered since it reopened; null before. */
  readonly answeredAt: number | null;
}

/**
 * The way to a provider, in the words of circuit breakers: `closed` is well and lets everything pass,
 * `open` lets nothing pass until its pause is over, `half_open` lets a few try.
 */
export type Gate = Closed | Open | HalfOpen;

export interface Admitted {
  readonly gate: Gate;
  /** When to come again, in UNIX milliseconds; null: it may pass. */
  readonly until: number | null;
}

export interface Settled {
  readonly gate: Gate;
  /** When to come back, in UNIX milliseconds, and the attempt does not count; null: as usual. */
  readonly comesBackAt: number | null;
}

export const closedGate = (now: number): Closed => ({
  state: 'closed',
  openedCount: 0,
  closedAt: now,
  pause: null,
  shutAt: 0,
  recent: noAnswers(now),
});

/** The gate as it is by now: one that has gone well for long enough since it reopened is closed. */
export function gateAt(gate: Gate, now: number): Gate {
  if (gate.state !== 'half_open' || gate.answeredAt === null) return gate;
  return now - gate.answeredAt >= CAUSES[gate.cause].rampMs ? closedAfter(gate, now) : gate;
}

/** Asks to let a push pass. */
export function admitted(before: Gate, now: number): Admitted {
  const gate = gateAt(before, now);
  if (gate.state === 'closed') return { gate, until: null };
  if (gate.state === 'open') {
    if (now < gate.reopensAt) return { gate, until: gate.reopensAt };
    return { gate: { ...halfOpened(gate), underWay: 1, lastAdmittedAt: now }, until: null };
  }
  const isFree = gate.underWay < placesOf(gate, now);
  if (!isFree && now - gate.lastAdmittedAt < LOST_MS) return { gate, until: now + LOOK_AGAIN_MS };
  const underWay = isFree ? gate.underWay + 1 : 1;
  return { gate: { ...gate, underWay, lastAdmittedAt: now }, until: null };
}

/**
 * Tells what came of a push that passed. `chance` is a random number from 0 up to 1: it takes up to a
 * quarter off a pause, so that several workers do not come back in the same moment.
 */
export function settled(
  before: Gate,
  signal: Signal,
  passed: Passed,
  now: number,
  chance: number,
): Settled {
  const gate = gateAt(before, now);
  const isLate = passed.admittedAt < gate.shutAt;
  switch (gate.state) {
    case 'closed':
      return isLate
        ? settledLateClosed(gate, signal, now)
        : settledClosed(gate, signal, now, chance);
    case 'open':
      return settledOpen(gate, signal, now);
    case 'half_open':
      return isLate
        ? settledLateTrying(gate, signal, now, chance)
        : settledTrying(gate, signal, now, chance);
  }
}

function settledClosed(gate: Closed, signal: Signal, now: number, chance: number): Settled {
  if (signal.kind === 'unsent') return asUsual(gate);
  if (signal.kind === 'answered') {
    return asUsual({ ...gate, recent: withAnswer(gate.recent, signal.userId, now) });
  }
  const recent = withFailure(gate.recent, signal, now);
  if (signal.cause === 'misconfigured') {
    const isRepeated = isKnownFailure(gate.recent, signal, now);
    return settledDoubt({ ...gate, recent }, signal, isRepeated, now, chance);
  }
  if (!isOfProvider(recent, signal)) return asUsual({ ...gate, recent });
  return shutBy(gate, signal, now, chance);
}

/** While other accounts are answered, the configuration works: this account's device waits alone. */
function settledDoubt(
  gate: Closed,
  signal: Failure,
  isRepeated: boolean,
  now: number,
  chance: number,
): Settled {
  const doubters = doubtersSinceAnswer(gate.recent);
  const isIsolated = hasAnsweredOthers(gate.recent, signal) && doubters.length < signal.quorum;
  if (!isIsolated) return doubted(gate, signal, now, chance);
  const pauseMs = isRepeated ? ISOLATED_PAUSE_MS : CAUSES.misconfigured.firstPauseMs;
  return { gate, comesBackAt: now + pauseMs };
}

function settledLateClosed(gate: Closed, signal: Signal, now: number): Settled {
  const isConfigured = signal.kind !== 'failed' || signal.cause !== 'misconfigured';
  return isConfigured
    ? asUsual(gate)
    : { gate, comesBackAt: now + CAUSES.misconfigured.firstPauseMs };
}

/** All of it passed before it shut: old news, by which no pause grows. */
function settledOpen(gate: Open, signal: Signal, now: number): Settled {
  if (signal.kind !== 'failed') return asUsual(gate);
  const isThrottle = signal.cause === 'throttled' && gate.cause === 'throttled';
  const asked = isThrottle ? now + signal.pauseMs : 0;
  return held({ ...gate, reopensAt: Math.max(gate.reopensAt, asked) }, signal, now);
}

function settledLateTrying(gate: HalfOpen, signal: Signal, now: number, chance: number): Settled {
  if (signal.kind !== 'failed') return asUsual(gate);
  const { cause, witnesses } = gate;
  const isDoubt = signal.cause === 'misconfigured' && cause === 'misconfigured';
  const isNews = isDoubt && !isKnown(signal, witnesses);
  return isNews ? doubted(gate, signal, now, chance) : held(gate, signal, now);
}

function settledTrying(before: HalfOpen, signal: Signal, now: number, chance: number): Settled {
  const gate = { ...before, underWay: Math.max(0, before.underWay - 1) };
  if (signal.kind === 'unsent') return asUsual(gate);
  // Who has too much to do is there, which is all that was in doubt.
  const isAnswer =
    signal.kind === 'answered' || (signal.cause === 'throttled' && gate.cause !== 'throttled');
  if (isAnswer) {
    const places = gate.places + 1;
    const isWell =
      gate.cause === 'misconfigured' || (gate.cause === 'outage' && places > FULL_RAMP);
    if (isWell) return asUsual(closedAfter(gate, now));
    return asUsual({ ...gate, places, answeredAt: gate.answeredAt ?? now });
  }
  if (signal.cause === 'misconfigured') return doubted(gate, signal, now, chance);
  // One device's trouble among others that went well costs places, not the whole way.
  if (gate.places > 1) return asUsual({ ...gate, places: Math.floor(gate.places / 2) });
  return shutBy(gate, signal, now, chance);
}

/**
 * The configuration is called wrong. One account is not enough to hold up the others: it waits, and they
 * try, one at a time, until one is answered or enough have been told the same.
 */
function doubted(gate: Closed | HalfOpen, failure: Failure, now: number, chance: number): Settled {
  const isDoubted = gate.state === 'half_open' && gate.cause === 'misconfigured';
  const known = isDoubted ? gate.witnesses : doubtersBefore(gate, failure);
  const isRepeated = isKnown(failure, known);
  const pause = isDoubted && !isRepeated ? gate.pause : grownPause(gate, failure.cause, now);
  const witnesses = isRepeated ? known : [...known, ...witnessesOf(failure)];
  const shut = { ...opened(gate, failure, pause, now, chance), witnesses };
  if (witnesses.length >= failure.quorum) return held(shut, failure, now);
  return {
    gate: { ...halfOpened(shut), lastAdmittedAt: now },
    comesBackAt: shut.reopensAt,
  };
}

/** Accounts that a closed gate has seen called misconfigured since its last answer, without this one. */
const doubtersBefore = (gate: Closed | HalfOpen, failure: Failure): readonly number[] =>
  gate.state === 'closed'
    ? doubtersSinceAnswer(gate.recent).filter((one) => one !== failure.witness)
    : [];

const witnessesOf = ({ witness }: Failure): readonly number[] =>
  witness === null ? [] : [witness];

/** Whether such a failure says nothing that is not known already. */
const isKnown = (failure: Failure, known: readonly number[]): boolean =>
  known.length >= failure.quorum || witnessesOf(failure).every((one) => known.includes(one));

function opened(gate: Gate, failure: Failure, pause: Pause, now: number, chance: number): Open {
  const waitMs = Math.max(pause.milliseconds * (1 - chance / 4), failure.pauseMs);
  return {
    state: 'open',
    openedCount: gate.openedCount + (gate.state === 'closed' ? 1 : 0),
    cause: failure.cause,
    reason: failure.reason,
    pause,
    since: gate.state === 'closed' ? now : gate.since,
    shutAt: now,
    reopensAt: Math.ceil(now + waitMs),
    witnesses: [],
  };
}

function grownPause(gate: Gate, cause: GateCause, now: number): Pause {
  const { firstPauseMs, longestPauseMs } = CAUSES[cause];
  const isCalm = gate.state === 'closed' && now - gate.closedAt >= CALM_MS;
  if (gate.pause?.cause !== cause || isCalm) return { cause, milliseconds: firstPauseMs };
  return { cause, milliseconds: Math.min(gate.pause.milliseconds * 2, longestPauseMs) };
}

const halfOpened = (gate: Open): HalfOpen => ({
  ...gate,
  state: 'half_open',
  underWay: 0,
  places: 1,
  lastAdmittedAt: gate.reopensAt,
  answeredAt: null,
});

const closedAfter = ({ openedCount, pause, shutAt }: HalfOpen, now: number): Closed => ({
  ...closedGate(now),
  openedCount,
  pause,
  shutAt,
});

function placesOf({ cause, places, answeredAt }: HalfOpen, now: number): number {
  if (cause !== 'throttled' || answeredAt === null) return places;
  return Math.min(places, 1 + Math.floor((now - answeredAt) / THROTTLED_STEP_MS));
}

const shutBy = (gate: Gate, failure: Failure, now: number, chance: number): Settled =>
  held(opened(gate, failure, grownPause(gate, failure.cause, now), now, chance), failure, now);

const asUsual = (gate: Gate): Settled => ({ gate, comesBackAt: null });

const held = (gate: Open | HalfOpen, { asksMs }: Failure, now: number): Settled => ({
  gate,
  comesBackAt: Math.max(gate.reopensAt, now + Math.max(asksMs, LOOK_AGAIN_MS)),
});
