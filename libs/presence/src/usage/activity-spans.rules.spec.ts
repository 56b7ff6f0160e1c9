import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type ActivitySpan,
  dayBefore,
  dayOf,
  spanOfInput,
  splitByDay,
  uniteSpans,
} from './activity-spans.rules.js';

const MINUTE = 60;
const DAY = 86_400;
/** Noon of a day. */
const NOON = 20_000 * DAY + 12 * 60 * MINUTE;

const spansOf = (inputs: readonly number[]): ActivitySpan[] =>
  inputs.reduce<ActivitySpan[]>((spans, at) => uniteSpans(spans, spanOfInput(at)), []);

describe(uniteSpans.name, () => {
  it('counts 15 minutes for a single input', () => {
    expect(spansOf([NOON])).toEqual([{ startedAt: NOON, endedAt: NOON + 15 * MINUTE }]);
  });

  it.each([
    [1, 1],
    [14 * MINUTE, 1],
    [15 * MINUTE, 1],
    [15 * MINUTE + 1, 2],
  ])('%d seconds after an input, another makes it %d spans', (laterS, count) => {
    const spans = spansOf([NOON, NOON + laterS]);
    expect(spans).toHaveLength(count);
    expect(spans.at(-1)?.endedAt).toBe(NOON + laterS + 15 * MINUTE);
  });

  it('joins two spans by an input between them', () => {
    const apart = spansOf([NOON, NOON + 30 * MINUTE]);
    expect(apart).toHaveLength(2);
    expect(uniteSpans(apart, spanOfInput(NOON + 15 * MINUTE))).toEqual([
      { startedAt: NOON, endedAt: NOON + 45 * MINUTE },
    ]);
  });

  it('holds exactly the times within 15 minutes after an input, in whatever order inputs come', () => {
    const input = fc.integer({ min: 0, max: 180 * MINUTE }).map((later) => NOON + later);
    fc.assert(
      fc.property(fc.array(input, { maxLength: 12 }), (inputs) => {
        const spans = spansOf(inputs);
        expect(spansOf(inputs.toReversed())).toEqual(spans);
        expect(spansOf([...inputs, ...inputs])).toEqual(spans);
        // Nothing changes but where an input begins to count, or ends to.
        const edges = inputs.flatMap((at) => [at, at + 15 * MINUTE]);
        const wrong = edges
          .flatMap((at) => [at - 1, at])
          .filter((at) => {
            const isActive = inputs.some((since) => since <= at && at < since + 15 * MINUTE);
            const holding = spans.filter((span) => span.startedAt <= at && at < span.endedAt);
            return holding.length !== (isActive ? 1 : 0);
          });
        expect(wrong).toEqual([]);
        // Spans that touch would be one.
        const begins = new Set(spans.map(({ startedAt }) => startedAt));
        expect(spans.filter(({ endedAt }) => begins.has(endedAt))).toEqual([]);
      }),
    );
  });
});

describe(splitByDay.name, () => {
  const midnight = 20_001 * DAY;

  it('leaves a span of one day whole, also one that ends with it', () => {
    const span = { startedAt: midnight - 900, endedAt: midnight };
    expect(splitByDay(span)).toEqual([{ day: dayOf(midnight - 1), ...span }]);
  });

  it('gives a span that begins with a day to that day', () => {
    const span = { startedAt: midnight, endedAt: midnight + 900 };
    expect(splitByDay(span)).toEqual([{ day: dayOf(midnight), ...span }]);
  });

  it('cuts a span at midnight', () => {
    expect(splitByDay({ startedAt: midnight - 100, endedAt: midnight + 800 })).toEqual([
      { day: dayOf(midnight - 1), startedAt: midnight - 100, endedAt: midnight },
      { day: dayOf(midnight), startedAt: midnight, endedAt: midnight + 800 },
    ]);
  });

  it('loses no second of a span of several days', () => {
    const parts = splitByDay({ startedAt: midnight - 10, endedAt: midnight + 2 * DAY + 5 });
    expect(parts.map(({ startedAt, endedAt }) => endedAt - startedAt)).toEqual([10, DAY, DAY, 5]);
    expect(new Set(parts.map(({ day }) => day)).size).toBe(4);
  });
});

describe('Both rules', () => {
  it('lose no second of a span, and add none', () => {
    const at = fc.integer({ min: 0, max: 4_000_000_000 });
    fc.assert(
      fc.property(at, fc.integer({ min: 1, max: 5 * DAY }), (startedAt, seconds) => {
        const span = { startedAt, endedAt: startedAt + seconds };
        const parts = splitByDay(span);
        for (const part of parts) {
          expect([dayOf(part.startedAt), dayOf(part.endedAt - 1)]).toEqual([part.day, part.day]);
        }
        expect(parts.reduce<ActivitySpan[]>(uniteSpans, [])).toEqual([span]);
      }),
    );
  });
});

describe(dayBefore.name, () => {
  it('names days of UTC', () => {
    expect(dayOf(1_795_252_079)).toBe('2026-11-21');
    expect(dayBefore(1_795_252_079, 21)).toBe('2026-10-31');
  });
});
