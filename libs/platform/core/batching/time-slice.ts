/** Work takes the event loop for about this time before it lets other work run. */
const SLICE_MS = 5;

/**
 * Long work that waits for its next slice. All of it together gets one slice in each turn of the event loop: an ordinary
 * request takes several turns, and would otherwise wait in each of them for as many slices as there is long work.
 */
const waiting: (() => void)[] = [];

/** Resolves when the next slice of long work is that of the caller. */
export function nextSlice(): Promise<void> {
  if (waiting.length === 0) setImmediate(giveTurn);
  return new Promise((begin) => waiting.push(begin));
}

function giveTurn(): void {
  waiting.shift()?.();
  // What an immediate sets runs in the next turn of the event loop.
  if (waiting.length > 0) setImmediate(giveTurn);
}

/** Divides long work, so that requests that come meanwhile wait for a slice of it only. */
export class TimeSlice {
  #endsAt = performance.now() + SLICE_MS;

  /** Lets other work run if the slice is over. Call it between parts of the work. */
  async next(): Promise<void> {
    if (performance.now() < this.#endsAt) return;
    await nextSlice();
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
