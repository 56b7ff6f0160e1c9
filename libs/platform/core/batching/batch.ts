import DataLoader from 'dataloader';
import { retryThroughOutage } from '../scheduling/backoff.js';

const MAX_PER_CALL = 500;
/** Two, so that a slow call does not delay all others. */
const MAX_CALLS = 2;
/** Between the starts of two calls: under a steady load it makes the batches larger. */
const MIN_INTERVAL_MS = 2;

interface BatchOptions {
  readonly maxPerCall?: number;
  /** How long the first item waits for others: for calls that cost far more than this time. */
  readonly lingerMs?: number;
  /** Between the starts of two calls. */
  readonly minIntervalMs?: number;
}

/**
 * Batches calls: those of the same moment, and those that arrive while earlier batches are running. An idle
 * system does not delay calls, and a busy one makes large batches.
 * `runAll` resolves with a result for each item, in their order; when it rejects, each call rejects.
 */
export function batched<Item, Result>(
  runAll: (items: readonly Item[]) => Promise<readonly Result[]>,
  { maxPerCall = MAX_PER_CALL, lingerMs = 0, minIntervalMs = MIN_INTERVAL_MS }: BatchOptions = {},
): (item: Item) => Promise<Result> {
  const ready: (() => void)[] = [];
  let running = 0;
  let startedAt = 0;
  let waiting: NodeJS.Timeout | undefined;
  const startNext = () => {
    const [run] = ready;
    if (run === undefined || running === MAX_CALLS || waiting !== undefined) return;
    const pauseMs = startedAt + minIntervalMs - performance.now();
    if (pauseMs > 0) {
      waiting = setTimeout(() => {
        waiting = undefined;
        startNext();
      }, pauseMs);
      return;
    }
    ready.shift();
    running += 1;
    startedAt = performance.now();
    // Calls of the same turn of the event loop join this batch.
    setImmediate(run);
    startNext();
  };
  const runBatch = async (items: readonly Item[]) => {
    try {
      return await runAll(items);
    } finally {
      running -= 1;
      startNext();
    }
  };
  const loader = new DataLoader<Item, Result>(runBatch, {
    cache: false,
    maxBatchSize: maxPerCall,
    batchScheduleFn: (run) => {
      const start = () => {
        ready.push(run);
        startNext();
      };
      if (lingerMs === 0) start();
      else setTimeout(start, lingerMs);
    },
  });
  return (item) => loader.load(item);
}

/**
 * Batches the calls of one turn of the event loop, without a delay and without a limit of running calls: for commands to
 * Redis, which cost more than the work for one item.
 */
export function batchedPerTurn<Item, Result>(
  runAll: (items: readonly Item[]) => Promise<readonly Result[]>,
  { maxPerCall = MAX_PER_CALL }: Pick<BatchOptions, 'maxPerCall'> = {},
): (item: Item) => Promise<Result> {
  const loader = new DataLoader<Item, Result>(runAll, {
    cache: false,
    maxBatchSize: maxPerCall,
    batchScheduleFn: (run) => setImmediate(run),
  });
  return (item) => loader.load(item);
}

/**
 * The same as `batched`, for writes: a batch that fails is tried again as a whole, through a short outage of its store.
 * `onFailure` receives each failure and the number of its items.
 */
export const batchedWithRetry = <Item, Result>(
  runAll: (items: readonly Item[]) => Promise<readonly Result[]>,
  onFailure: (error: unknown, items: number) => void,
): ((item: Item) => Promise<Result>) =>
  batched((items: readonly Item[]) =>
    retryThroughOutage(
      () => runAll(items),
      (error) => onFailure(error, items.length),
    ),
  );

/** The maximum number of lists in one call. */
const MAX_LISTS_PER_CALL = 20;

/** Like `batched`, for calls with a list of items each. */
export function batchedLists<Item, Result>(
  runAll: (items: readonly Item[]) => Promise<readonly Result[]>,
): (items: readonly Item[]) => Promise<readonly Result[]> {
  return batched(
    async (lists: readonly (readonly Item[])[]) => {
      const results = await runAll(lists.flat());
      const sliced: (readonly Result[])[] = [];
      let start = 0;
      for (const { length } of lists) {
        sliced.push(results.slice(start, start + length));
        start += length;
      }
      return sliced;
    },
    { maxPerCall: MAX_LISTS_PER_CALL },
  );
}
