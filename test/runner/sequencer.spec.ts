import { describe, expect, it } from '@jest/globals';

const { default: SpreadingSequencer } = await import(
  new URL('sequencer.mjs', import.meta.url).href
);

/** A file without a known duration. */
const testOf = (tier: string, name = tier, size = 1) => ({
  path: name,
  context: {
    config: { id: 'none', cacheDirectory: '/none', displayName: { name: tier } },
    hasteFS: { getSize: () => size },
  },
});

describe('SpreadingSequencer', () => {
  it('spreads the files that wait among those that compute, the longest first', () => {
    const sut = new SpreadingSequencer({ contexts: [], globalConfig: {} });
    const tests = [
      testOf('unit'),
      testOf('http', 'large http', 2),
      testOf('http', 'small http'),
      testOf('integration'),
      testOf('conformance'),
      testOf('e2e'),
    ];
    // oxlint-disable-next-line no-array-sort -- the method of Jest
    const sorted: typeof tests = sut.sort(tests);
    expect(sorted.map(({ path }) => path)).toEqual([
      'e2e',
      'large http',
      'small http',
      'conformance',
      'integration',
      'unit',
    ]);
  });
});
