import { describe, expect, it } from '@jest/globals';
import { filterInSlices, mapInSlices } from './time-slice.js';

/** Keeps the event loop for some milliseconds. */
function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** How often other work runs meanwhile. */
async function turnsDuring(sliced: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await sliced();
  isOver = true;
  return turns;
}

describe(filterInSlices.name, () => {
  it('keeps items in their order, and lets other work run in between', async () => {
    expect(await filterInSlices([1, 2, 3], (item) => item !== 2)).toEqual([1, 3]);
    const items = Array.from({ length: 20 });
    const turns = await turnsDuring(() =>
      filterInSlices(items, () => {
        work(4);
        return true;
      }),
    );
    // In slices of two items.
    expect(turns).toBeGreaterThanOrEqual(8);
  });
});

describe(mapInSlices.name, () => {
  it('returns the results in the order of the items', async () => {
    expect(await mapInSlices(['a', 'b'], (item, index) => `${index} ${item}`)).toEqual([
      '0 a',
      '1 b',
    ]);
    expect(await mapInSlices([], String)).toEqual([]);
  });

  it('lets other work run in between', async () => {
    const items = Array.from({ length: 20 });
    const turns = await turnsDuring(() => mapInSlices(items, () => work(4)));
    // In slices of two items.
    expect(turns).toBeGreaterThanOrEqual(8);
  });

  it('takes one slice in each turn of the event loop, however much long work there is', async () => {
    const items = Array.from({ length: 10 });
    const begins: number[] = [];
    const itemsOfTurns: number[] = [];
    let worked = 0;
    const works = Array.from({ length: 4 }, (_, index) =>
      mapInSlices(items, () => {
        begins.push(index);
        worked += 1;
        work(4);
      }),
    );
    let isOver = false;
    const count = (): void => {
      itemsOfTurns.push(worked);
      worked = 0;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(works);
    isOver = true;
    // The first slice of each comes at once.
    const [, ...later] = itemsOfTurns;
    expect(Math.max(...later)).toBeLessThanOrEqual(2);
    // They take turns.
    expect(new Set(begins.slice(8, 16)).size).toBe(4);
  });

  it('does not wait after short work', async () => {
    let turns = 0;
    setImmediate(() => (turns += 1));
    await mapInSlices([1, 2, 3], String);
    expect(turns).toBe(0);
  });

  it('rejects with the error of an item', async () => {
    const failing = mapInSlices([1], () => {
      throw new Error('It failed');
    });
    await expect(failing).rejects.toThrow('It failed');
  });
});
