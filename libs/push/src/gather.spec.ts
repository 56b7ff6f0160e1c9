import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
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

/** Longer than the pause between two calls. */
const A_WHILE_MS = 5;

const passAWhile = () => jest.advanceTimersByTimeAsync(A_WHILE_MS);

beforeEach(async () => {
  jest.useFakeTimers();
  // Their clock starts at 0, as if a call had begun just then.
  await passAWhile();
});

afterEach(() => {
  jest.useRealTimers();
});

describe(gathered, () => {
  it('makes one call of what comes in the same moment, with a result for each', async () => {
    const { batches, run } = heldBatches();
    const sut = gathered(run);
    const results = Promise.all([sut(1), sut(2), sut(3)]);
    await passAWhile();
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
      await passAWhile();
    }
    expect(batches.map(({ items }) => items)).toEqual([[1], [2]]);
    batches[0]?.end();
    await passAWhile();
    expect(batches.map(({ items }) => items)).toEqual([[1], [2], [3, 4]]);
    for (const { end } of batches) end();
    expect(await Promise.all(results)).toEqual(['1', '2', '3', '4']);
  });

  it('pauses between the beginnings of calls, so that what keeps coming shares them', async () => {
    const calls: (readonly number[])[] = [];
    const sut = gathered((items: readonly number[]) => {
      calls.push(items);
      return Promise.resolve(items);
    });
    const results: Promise<number>[] = [];
    for (const item of [1, 2, 3, 4, 5]) {
      results.push(sut(item));
      await jest.advanceTimersByTimeAsync(1);
    }
    await passAWhile();
    expect(calls).toEqual([[1], [2, 3], [4, 5]]);
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4, 5]);
  });

  it('goes on after a call that failed, and tells everyone who shared it', async () => {
    let calls = 0;
    const sut = gathered(async (items: readonly number[]) => {
      calls += 1;
      if (calls === 1) throw new Error('away');
      return items;
    });
    const failing = Promise.allSettled([sut(1), sut(2)]);
    await passAWhile();
    const failed = await failing;
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const answered = sut(3);
    await passAWhile();
    expect(await answered).toBe(3);
  });
});
