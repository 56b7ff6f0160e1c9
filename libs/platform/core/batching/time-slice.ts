import { setImmediate } from 'node:timers/promises';

/** Work takes the event loop for about this time before it lets other work run. */
const SLICE_MS = 10;

/** Divides long work, so that requests that come meanwhile wait for a slice of it only. */
export class TimeSlice {
  #endsAt = performance.now() + SLICE_MS;

  /** Lets other work run if the slice is over. Call it between parts of the work. */
  async next(): Promise<void> {
    if (performance.now() < this.#endsAt) return;
    await setImmediate();
    this.#endsAt = performance.now() + SLICE_MS;
  }
}

/** `items.filter(isKept)` in time slices. */
export async function filterInSlices<Item>(
  items: readonly Item[],
  isKept: (item: Item) => boolean,
): Promise<Item[]> {
  const slice = new TimeSlice();
  const kept: Item[] = [];
  for (const item of items) {
    if (isKept(item)) kept.push(item);
    await slice.next();
  }
  return kept;
}

/** `items.map(toResult)` in time slices. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  toResult: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const slice = new TimeSlice();
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    results.push(toResult(item, index));
    await slice.next();
  }
  return results;
}
