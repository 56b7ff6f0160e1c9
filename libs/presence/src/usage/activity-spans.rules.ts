/** A time without a gap in which somebody was active; UNIX seconds, the end not included. */
export interface ActivitySpan {
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A part of a span that lies within one day. */
export interface DaySpan extends ActivitySpan {
  /** In UTC, as in `2026-11-21`. */
  readonly day: string;
}

/** Somebody who has just done something counts as active for so long. */
const TAIL_SECONDS = 15 * 60;

const SECONDS_PER_DAY = 86_400;

/** What an input at these UNIX seconds says of its user. */
export const spanOfInput = (at: number): ActivitySpan => ({
  startedAt: at,
  endedAt: at + TAIL_SECONDS,
});

/**
 * Spans with one more: it extends those that it overlaps or touches, and else begins a new one. The order in which spans
 * come does not matter, nor how often the same one does: `user_activity` is brought up to date by the same rule.
 */
export function uniteSpans(
  spans: readonly ActivitySpan[],
  { startedAt, endedAt }: ActivitySpan,
): ActivitySpan[] {
  const isApart = (span: ActivitySpan) => span.endedAt < startedAt || span.startedAt > endedAt;
  const met = spans.filter((span) => !isApart(span));
  const united = {
    startedAt: Math.min(startedAt, ...met.map((span) => span.startedAt)),
    endedAt: Math.max(endedAt, ...met.map((span) => span.endedAt)),
  };
  return [...spans.filter(isApart), united].toSorted((a, b) => a.startedAt - b.startedAt);
}

/** The parts of a span, one for each day in UTC that it reaches into. */
export function splitByDay({ startedAt, endedAt }: ActivitySpan): DaySpan[] {
  const parts: DaySpan[] = [];
  for (let from = startedAt; from < endedAt;) {
    const midnight = (Math.floor(from / SECONDS_PER_DAY) + 1) * SECONDS_PER_DAY;
    const until = Math.min(endedAt, midnight);
    parts.push({ day: dayOf(from), startedAt: from, endedAt: until });
    from = until;
  }
  return parts;
}

/** The day of these UNIX seconds in UTC. */
export const dayOf = (at: number): string => new Date(at * 1000).toISOString().slice(0, 10);

/** The day so many days before the one of these UNIX seconds. */
export const dayBefore = (at: number, days: number): string => dayOf(at - days * SECONDS_PER_DAY);
