import { describe, expect, it } from '@jest/globals';
import { gathered } from './gather.js';

/** Batches that end when they are told to. */
function heldBatches() {
  const batches: { items: readonly number[]; end: () => void }[] = [];
  const run = (items: readonly number[]) =>
    new Promise<string[]>((resolve) => {
      batches.push({ items, end: () => resolve(items.map((item) => `${item}`)) });
    });
  return { batches, run };
}

const nextTurn = () => new Promise((resolve) => setTimeout(resolve, 5));

describe(gathered, () => {
  it('makes one call of what comes in the same moment, with a result for each', async () => {
    const { batches, run } = heldBatches();
    const sut = gathered(run);
    const results = Promise.all([sut(1), sut(2), sut(3)]);
    await nextTurn();
    expect(batches.map(({ items }) => items)).toEqual([[1, 2, 3]]);
    batches[0]?.end();
    expect(await results).toEqual(['1', '2', '3']);
  });

  it('makes one call of what comes while others are under way', async () => {
    const { batches, run } = heldBatches();
    const sut = gathered(run);
    const results: Promise<string>[] = [];
    for (const item of [1, 2, 3, 4]) {
      results.push(sut(item));
      await nextTurn();
    }
    expect(batches.map(({ items }) => items)).toEqual([[1], [2]]);
    batches[0]?.end();
    await nextTurn();
    expect(batches.map(({ items }) => items)).toEqual([[1], [2], [3, 4]]);
    for (const { end } of batches) end();
    expect(await Promise.all(results)).toEqual(['1', '2', '3', '4']);
  });

  it('goes on after a call that failed, and tells everyone who shared it', async () => {
    let calls = 0;
    const sut = gathered(async (items: readonly number[]) => {
      calls += 1;
      if (calls === 1) throw new Error('away');
      return items;
    });
    const failed = await Promise.allSettled([sut(1), sut(2)]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await sut(3)).toBe(3);
  });
});
