import path from 'node:path';

/** The used part of the `--json` report of Jest. */
export interface JestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** The number of tests by result. */
interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const TIERS = ['unit', 'http', 'integration', 'conformance', 'performance', 'e2e'] as const;
const NOTHING: Tally = { passed: 0, failed: 0, skipped: 0 };

/**
 * Counts the results per tier, in the order of the tiers, without empty tiers.
 * A file that could not run counts as one failed test.
 */
export function tallyByTier(report: JestReport): Map<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const tier of TIERS) {
    const files = report.testResults.filter((file) => tierOf(file.name) === tier);
    if (files.length > 0) tallies.set(tier, files.map(tallyOf).reduce(add));
  }
  return tallies;
}

/** The sum of all tiers. */
export function total(tallies: Iterable<Tally>): Tally {
  return [...tallies].reduce(add, NOTHING);
}

/** The summary of a run in one line. */
export function summaryLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** The slowest files, one line each. */
export function slowestFiles({ testResults }: JestReport, root: string, count = 10): string[] {
  return testResults
    .map(({ name, startTime, endTime }) => ({ name, tookMs: endTime - startTime }))
    .toSorted((one, other) => other.tookMs - one.tookMs)
    .slice(0, count)
    .map(({ name, tookMs }) => {
      const seconds = (tookMs / 1000).toFixed(1);
      return `${seconds.padStart(7)} s  ${path.relative(root, name)}`;
    });
}

function tierOf(file: string): string {
  return TIERS.find((tier) => file.endsWith(`.${tier}-spec.ts`)) ?? 'unit';
}

function tallyOf(file: JestReport['testResults'][number]): Tally {
  const count = (...statuses: string[]) =>
    file.assertionResults.filter(({ status }) => statuses.includes(status)).length;
  const failed = count('failed');
  return {
    passed: count('passed'),
    failed: failed === 0 && file.status === 'failed' ? 1 : failed,
    skipped: count('pending', 'skipped', 'todo', 'disabled'),
  };
}

function add(one: Tally, other: Tally): Tally {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
  };
}
