import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { batched, batchedLists, batchedPerTurn, batchedWithRetry } from './batch.js';

/** Batches that end on demand. */
function heldBatches() {
  const batches: { items: readonly number[]; end: () => void }[] = [];
  const run = (items: readonly number[]) =>
    new Promise<string[]>((resolve) => {
      batches.push({ items, end: () => resolve(items.map((item) => `${item}`)) });
    });
  return { batches, run };
}

/** Longer than the pause between two calls. */
const LONGER_PAUSE_MS = 5;

const waitForPause = () => jest.advanceTimersByTimeAsync(LONGER_PAUSE_MS);

beforeEach(async () => {
  jest.useFakeTimers();
  // The clock of the batches starts at 0, as if a batch had just started.
  await waitForPause();
});

afterEach(() => {
  jest.useRealTimers();
});

describe(batched, () => {
  it('batches the calls of one moment, with a result for each', async () => {
    const { batches, run } = heldBatches();
    const sut = batched(run);
    const results = Promise.all([sut(1), sut(2), sut(3)]);
    await waitForPause();
    expect(batches.map(({ items }) => items)).toEqual([[1, 2, 3]]);
    batches[0]?.end();
    expect(await results).toEqual(['1', '2', '3']);
  });

  it('batches the calls during running batches', async () => {
    const { batches, run } = heldBatches();
    const sut = batched(run);
    const results: Promise<string>[] = [];
    for (const item of [1, 2, 3, 4]) {
      results.push(sut(item));
      await waitForPause();
    }
    expect(batches.map(({ items }) => items)).toEqual([[1], [2]]);
    batches[0]?.end();
    await waitForPause();
    expect(batches.map(({ items }) => items)).toEqual([[1], [2], [3, 4]]);
    for (const { end } of batches) end();
    expect(await Promise.all(results)).toEqual(['1', '2', '3', '4']);
  });

  it('waits between the starts of batches', async () => {
    const calls: (readonly number[])[] = [];
    const sut = batched((items: readonly number[]) => {
      calls.push(items);
      return Promise.resolve(items);
    });
    const results: Promise<number>[] = [];
    for (const item of [1, 2, 3, 4, 5]) {
      results.push(sut(item));
      await jest.advanceTimersByTimeAsync(1);
    }
    await waitForPause();
    expect(calls).toEqual([[1], [2, 3], [4, 5]]);
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4, 5]);
  });

  it('starts two batches that have waited together', async () => {
    const { batches, run } = heldBatches();
    const sut = batched(run, { maxPerCall: 1 });
    const first = sut(1);
    await jest.advanceTimersByTimeAsync(0);
    batches[0]?.end();
    await first;
    const others = [sut(2), sut(3)];
    await waitForPause();
    expect(batches.map(({ items }) => items)).toEqual([[1], [2], [3]]);
    for (const { end } of batches) end();
    expect(await Promise.all(others)).toEqual(['2', '3']);
  });

  it('rejects all calls of a failed batch, and continues', async () => {
    let calls = 0;
    const sut = batched(async (items: readonly number[]) => {
      calls += 1;
      if (calls === 1) throw new Error('unreachable');
      return items;
    });
    const failing = Promise.allSettled([sut(1), sut(2)]);
    await waitForPause();
    const failed = await failing;
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const answered = sut(3);
    await waitForPause();
    expect(await answered).toBe(3);
  });
});

describe(batchedPerTurn, () => {
  it('batches the calls of one turn, a limited number in each call', async () => {
    const { batches, run } = heldBatches();
    const sut = batchedPerTurn(run, { maxPerCall: 2 });
    const first = [sut(1)];
    await Promise.resolve();
    first.push(sut(2), sut(3));
    expect(batches).toEqual([]);
    await jest.advanceTimersByTimeAsync(0);
    expect(batches.map(({ items }) => items)).toEqual([[1, 2], [3]]);
    for (const { end } of batches) end();
    expect(await Promise.all(first)).toEqual(['1', '2', '3']);
  });

  it('does not wait for running calls', async () => {
    const { batches, run } = heldBatches();
    const sut = batchedPerTurn(run);
    for (const item of [1, 2, 3]) {
      void sut(item);
      await jest.advanceTimersByTimeAsync(0);
    }
    expect(batches.map(({ items }) => items)).toEqual([[1], [2], [3]]);
  });
});

describe(batchedWithRetry, () => {
  it('repeats a failed batch as a whole, and reports each failure with the number of items', async () => {
    const calls: (readonly number[])[] = [];
    const failures: [string, number][] = [];
    const sut = batchedWithRetry(
      (items: readonly number[]) => {
        calls.push(items);
        if (calls.length < 3) return Promise.reject(new Error('down'));
        return Promise.resolve(items.map((item) => `${item}`));
      },
      (error, items) => failures.push([String(error), items]),
    );
    const results = Promise.all([sut(1), sut(2)]);
    await jest.advanceTimersByTimeAsync(1000);
    expect(await results).toEqual(['1', '2']);
    expect(calls).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
    expect(failures).toEqual([
      ['Error: down', 2],
      ['Error: down', 2],
    ]);
  });
});

describe(batchedLists, () => {
  it('returns the results of its own items to each call', async () => {
    const { batches, run } = heldBatches();
    const sut = batchedLists(run);
    const results = Promise.all([sut([1, 2]), sut([]), sut([3]), sut([4, 5])]);
    await waitForPause();
    expect(batches.map(({ items }) => items)).toEqual([[1, 2, 3, 4, 5]]);
    batches[0]?.end();
    expect(await results).toEqual([['1', '2'], [], ['3'], ['4', '5']]);
  });

  it('batches at most twenty lists', async () => {
    const { batches, run } = heldBatches();
    const sut = batchedLists(run);
    const results = Promise.all(Array.from({ length: 21 }, (_, item) => sut([item])));
    await waitForPause();
    expect(batches.map(({ items }) => items.length)).toEqual([20, 1]);
    for (const { end } of batches) end();
    expect((await results).flat()).toHaveLength(21);
  });
});
