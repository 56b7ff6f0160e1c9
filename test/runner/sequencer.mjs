import Sequencer from '@jest/test-sequencer';

/** The order of the tiers, those with the longest files first: a long file that starts last keeps the other workers idle. */
const TIERS = ['performance', 'e2e', 'conformance', 'integration', 'http', 'unit'];

/** The order of Jest, which is that of the last durations. In a new clone, where it knows none, the tiers decide. */
export default class TierSequencer extends Sequencer {
  /** @param {import('@jest/test-result').Test[]} tests */
  sort(tests) {
    // oxlint-disable-next-line no-array-sort -- the method of Jest
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

/** @param {import('@jest/test-result').Test} test */
const rankOf = ({ context }) => TIERS.indexOf(context.config.displayName?.name ?? '');
