import DataLoader from 'dataloader';

const MOST_PER_STATEMENT = 500;
/** One that is slow does not hold up all others. */
const MOST_UNDER_WAY = 2;

/**
 * Makes one call of many that come in the same moment, and of those that come while earlier ones are under
 * way: an idle system waits for nothing, and a busy one makes large batches.
 * `runAll` resolves with a result per item, in their order; when it rejects, each call does.
 */
export function gathered<Item, Result>(
  runAll: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  const ready: (() => void)[] = [];
  let underWay = 0;
  const startNext = () => {
    if (underWay === MOST_UNDER_WAY) return;
    const run = ready.shift();
    if (run === undefined) return;
    underWay += 1;
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
    maxBatchSize: MOST_PER_STATEMENT,
    batchScheduleFn: (run) => {
      ready.push(run);
      startNext();
    },
  });
  return (item) => loader.load(item);
}
