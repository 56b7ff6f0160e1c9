import DataLoader from 'dataloader';

/** How long a call waits for others to share its statement with. */
const GATHER_MS = 2;
const MOST_PER_STATEMENT = 500;

/**
 * Makes one statement of many calls that come within two milliseconds of each other.
 * `runAll` resolves with a result per item, in their order; when it rejects, each call does.
 */
export function gathered<Item, Result>(
  runAll: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  const loader = new DataLoader<Item, Result>(runAll, {
    cache: false,
    maxBatchSize: MOST_PER_STATEMENT,
    batchScheduleFn: (run) => setTimeout(run, GATHER_MS),
  });
  return (item) => loader.load(item);
}
