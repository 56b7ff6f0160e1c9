import { interleave } from '../measure/interleave.js';
import { type Finding, resultOf } from '../results.js';
import type { Faults } from './faults.js';
import type { Bench } from './scenario.js';
import type { SteadySide } from './steady-side.js';

const ROUNDS = 5;

/** Two designs with the same users and the same requests: Carillon, and one that reads Redis on each poll. */
export interface SteadyRivals {
  readonly ours: SteadySide;
  readonly reading: SteadySide;
  readonly faults: Faults;
}

/** A compared figure. */
export interface SteadyFigure {
  readonly name: string;
  readonly unit: string;
  readonly target: number | null;
  /** Measures one design in one round. */
  readonly ofRound: (side: SteadySide) => Promise<number>;
  /** An additional figure of each design for the notes. */
  readonly aside?: { readonly what: string; readonly of: (side: SteadySide) => string };
}

/** Warms up both designs, then measures them in turn. */
export async function compareSteadily(
  { progress }: Bench,
  { name, unit, target, ofRound, aside }: SteadyFigure,
  { ours, reading, faults }: SteadyRivals,
): Promise<Finding> {
  await progress.step(`${name}: warm-up`, async () => {
    for (const side of [reading, ours]) await side.warmUp();
  });
  const rates = await progress.step(`${name}: ${ROUNDS} rounds of each`, () =>
    interleave(
      ROUNDS,
      () => ofRound(reading),
      () => ofRound(ours),
    ),
  );
  const asides = aside === undefined ? [] : [aside];
  const answers = { what: 'an answer', of: (side: SteadySide) => side.answerText };
  return {
    result: resultOf({
      name,
      value: rates.ours,
      unit,
      limit: rates.limit,
      target,
      cpu_s_per_1000: ours.cpuPerThousand,
      limit_cpu_s_per_1000: reading.cpuPerThousand,
    }),
    notes: [...asides, answers].map(
      ({ what, of }) => `${what}: ours ${of(ours)}; the limit's ${of(reading)}`,
    ),
    faults: faults.list,
  };
}
