import Sequencer from '@jest/test-sequencer';

/** How long a file of each tier usually takes, in seconds: the estimate in a new clone, where Jest knows no duration. */
const USUAL_SECONDS = {
  performance: 25,
  e2e: 18,
  conformance: 8,
  integration: 5,
  http: 2,
  unit: 0.1,
};
/** Their files wait for programs, stores and pauses most of the time. Those of the other tiers keep a core busy. */
const WAITING_TIERS = new Set(['e2e', 'conformance', 'integration']);

/**
 * The longest files first: a long file that starts last keeps the other workers idle. Files that wait are spread evenly
 * among those that compute, so that the processor is busy from the beginning to the end.
 */
export default class SpreadingSequencer extends Sequencer {
  /** @param {import('@jest/test-result').Test[]} tests */
  sort(tests) {
    // oxlint-disable-next-line no-array-sort -- the method of Jest
    const sorted = super.sort(tests).toSorted((one, other) => secondsOf(other) - secondsOf(one));
    const waiting = sorted.filter((test) => WAITING_TIERS.has(tierOf(test)));
    const computing = sorted.filter((test) => !WAITING_TIERS.has(tierOf(test)));
    return [...placed(waiting), ...placed(computing)]
      .toSorted((one, other) => one.place - other.place)
      .map(({ test }) => test);
  }
}

/** @param {import('@jest/test-result').Test} test */
const tierOf = ({ context }) => context.config.displayName?.name ?? '';

/** @param {import('@jest/test-result').Test} test */
const secondsOf = (test) =>
  test.duration === undefined ? (USUAL_SECONDS[tierOf(test)] ?? 0) : test.duration / 1000;

/**
 * Each test with the share of the work before it.
 * @param {import('@jest/test-result').Test[]} tests
 */
function placed(tests) {
  const all = tests.reduce((sum, test) => sum + secondsOf(test), 0);
  let before = 0;
  return tests.map((test) => {
    const place = before / all;
    before += secondsOf(test);
    return { test, place };
  });
}
