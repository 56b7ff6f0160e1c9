import type { Failure, GateCause } from './gate-signal.rules.js';

/** Answers are looked at by their share over the last five to ten seconds. */
const SPAN_MS = 5_000;
const LEAST_ANSWERS = 10;
const LARGEST_SHARE = 0.5;
/** So many without an answer at all, one after another. */
const UNANSWERED_IN_A_ROW = 5;
/** Or so many failures of different accounts, one after another. */
const FAILURES_IN_A_ROW = 10;
/** Beyond it a share does not change any more that matters. */
const MOST_KEPT = 200;

/** What a provider has answered lately, while its gate is open to all. */
export interface RecentAnswers {
  /** Failures since the last answer. */
  readonly run: readonly Failure[];
  readonly current: Span;
  readonly previous: Span;
}

interface Span {
  /** UNIX milliseconds. */
  readonly since: number;
  readonly answered: number;
  /** The account that was answered, or `several`; null while there is none. */
  readonly answeredFor: number | 'several' | null;
  readonly failures: readonly Failure[];
}

const emptySpan = (since: number): Span => ({
  since,
  answered: 0,
  answeredFor: null,
  failures: [],
});

export const noAnswers = (now: number): RecentAnswers => ({
  run: [],
  current: emptySpan(now),
  previous: emptySpan(now),
});

/** One more push was answered. */
export function withAnswer(recent: RecentAnswers, userId: number, now: number): RecentAnswers {
  const { current, previous } = rolled(recent, now);
  const { answered, answeredFor } = current;
  const isFirst = answeredFor === null || answeredFor === userId;
  return {
    run: [],
    current: {
      ...current,
      answered: answered + 1,
      answeredFor: isFirst ? userId : 'several',
    },
    previous,
  };
}

/** Whether a push of an account other than the failure's was answered lately. */
export const hasAnsweredOthers = (
  { current, previous }: RecentAnswers,
  { witness }: Failure,
): boolean =>
  [current, previous].some(({ answeredFor }) => answeredFor !== null && answeredFor !== witness);

/** The accounts that were told since the last answer that the configuration is wrong. */
export const doubtersSinceAnswer = ({ run }: RecentAnswers): readonly number[] =>
  run.flatMap(({ cause, witness }) => (cause === 'misconfigured' ? (witness ?? []) : []));

/** Whether the same account has met with the same failure lately. */
export function isKnownFailure(recent: RecentAnswers, failure: Failure, now: number): boolean {
  const { current, previous } = rolled(recent, now);
  return [...current.failures, ...previous.failures].some((one) => isSame(one, failure));
}

/** One more push failed. What the same account has met with before does not count again. */
export function withFailure(recent: RecentAnswers, failure: Failure, now: number): RecentAnswers {
  const { run, current, previous } = rolled(recent, now);
  const kept = { run: added(run, failure, FAILURES_IN_A_ROW), current, previous };
  const isKnown = [...current.failures, ...previous.failures].some((one) => isSame(one, failure));
  if (isKnown) return kept;
  return {
    ...kept,
    current: { ...current, failures: added(current.failures, failure, MOST_KEPT) },
  };
}

/** Whether the failure that was added last is no longer that of some devices, but the provider's. */
export function isOfProvider(recent: RecentAnswers, { cause, quorum }: Failure): boolean {
  if (cause === 'outage' && isOutageByRun(recent.run)) return true;
  const { current, previous } = recent;
  const failures = [...current.failures, ...previous.failures];
  const answers = failures.length + current.answered + previous.answered;
  const count = countOf(failures, cause);
  if (count / answers < LARGEST_SHARE) return false;
  return cause === 'outage' ? answers >= LEAST_ANSWERS : count >= quorum;
}

function isOutageByRun(run: readonly Failure[]): boolean {
  const outages = run.filter(({ cause }) => cause === 'outage');
  const unanswered = outages.filter(({ witness }) => witness === null);
  return unanswered.length >= UNANSWERED_IN_A_ROW || outages.length >= FAILURES_IN_A_ROW;
}

const countOf = (failures: readonly Failure[], cause: GateCause): number =>
  failures.filter((one) => one.cause === cause).length;

const isSame = (one: Failure, other: Failure): boolean =>
  one.witness !== null && one.witness === other.witness && one.cause === other.cause;

const added = (all: readonly Failure[], failure: Failure, most: number): readonly Failure[] =>
  all.some((one) => isSame(one, failure)) ? all : [...all.slice(1 - most), failure];

function rolled({ run, current, previous }: RecentAnswers, now: number): RecentAnswers {
  const ageMs = now - current.since;
  if (ageMs < SPAN_MS) return { run, current, previous };
  const isOver = ageMs >= 2 * SPAN_MS;
  return { run, current: emptySpan(now), previous: isOver ? emptySpan(now) : current };
}
