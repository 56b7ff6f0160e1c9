import DataLoader from 'dataloader';

const MOST_PER_CALL = 500;
/** One that is slow does not hold up all others. */
const MOST_UNDER_WAY = 2;
/** Between the beginnings of two calls: it makes larger ones of what comes all the time. */
const LEAST_PAUSE_MS = 2;

/**
 * Makes one call of many that come in the same moment, and of those that come while earlier ones are under
 * way: an idle system waits for nothing, and a busy one makes large batches.
 * `runAll` resolves with a result per item, in their order; when it rejects, each call does.
 */
export function gathered<Item, Result>(
  runAll: (items: readonly Item[]) => Promise<readonly Result[]>,
  mostPerCall = MOST_PER_CALL,
): (item: Item) => Promise<Result> {
  const ready: (() => void)[] = [];
  let underWay = 0;
  let startedAt = 0;
  let waiting: NodeJS.Timeout | undefined;
  const startNext = () => {
    const [run] = ready;
    if (run === undefined || underWay === MOST_UNDER_WAY || waiting !== undefined) return;
    const pauseMs = startedAt + LEAST_PAUSE_MS - performance.now();
    if (pauseMs > 0) {
      waiting = setTimeout(() => {
        waiting = undefined;
        startNext();
      }, pauseMs);
      return;
    }
    ready.shift();
    underWay += 1;
    startedAt = performance.now();
    // What the same turn of the event loop still brings goes with it.
    setImmediate(run);
  };
  const runBatch = async (items: readonly Item[]) => {
    try {
      return await runAll(items);
    } finally {
      underWay -= 1;
      startNext();
    }
  };
  const loader = new DataLoader<Item, Result>(runBatch, {
    cache: false,
    maxBatchSize: mostPerCall,
    batchScheduleFn: (run) => {
      ready.push(run);
      startNext();
    },
  });
  return (item) => loader.load(item);
}

/** Lists that share a call, so that it is of at most so many times what a list is. */
const MOST_LISTS_PER_CALL = 20;

/** The same for who asks about several items at once. */
export function gatheredLists<Item, Result>(
  runAll: (items: readonly Item[]) => Promise<readonly Result[]>,
): (items: readonly Item[]) => Promise<readonly Result[]> {
  return gathered(async (lists: readonly (readonly Item[])[]) => {
    const results = await runAll(lists.flat());
    let start = 0;
    return lists.map(({ length }) => results.slice(start, (start += length)));
  }, MOST_LISTS_PER_CALL);
}
