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

/** Divides the short works of many callers: all of them together get one slice in each turn of the event loop, as long work does. */
export class SharedSlice {
  readonly #waiting: (() => void)[] = [];
  #isGiven = false;
  /** Of the slice in this turn of the event loop; null before the first work in it. */
  #endsAt: number | null = null;

  /** Resolves when the work of the caller may begin: in the order of the calls. */
  turn(): Promise<void> {
    return new Promise((begin) => {
      this.#waiting.push(begin);
      if (!this.#isGiven) void this.#giveTurns();
    });
  }

  async #giveTurns(): Promise<void> {
    this.#isGiven = true;
    for (let begin = this.#waiting.shift(); begin !== undefined; begin = this.#waiting.shift()) {
      while (performance.now() >= this.#endOfSlice()) await nextSlice();
      begin();
      // The work runs until it waits for something.
      await Promise.resolve();
    }
    this.#isGiven = false;
  }

  #endOfSlice(): number {
    if (this.#endsAt === null) {
      this.#endsAt = performance.now() + SLICE_MS;
      setImmediate(() => (this.#endsAt = null));
    }
    return this.#endsAt;
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
