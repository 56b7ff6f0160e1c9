import {
  type Platform,
  platformQueue,
  platforms,
  type PushLane,
  pushLanes,
  type QueueName,
} from '#platform/contracts';
import type { PushTransport } from '#push/providers';
import type { PlatformPools, Slots } from './platform-pools.js';

/** A platform, a lane, and the queue of the two. */
export interface Destination {
  readonly queue: QueueName;
  readonly platform: Platform;
  readonly lane: PushLane;
}

const destinations: readonly Destination[] = platforms.flatMap((platform) =>
  pushLanes.map((lane) => ({ queue: platformQueue(platform, lane), platform, lane })),
);

/** The destination of the deliveries of a queue. Throws for a queue without deliveries. */
export function destinationOf(queue: QueueName): Destination {
  const destination = destinations.find((one) => one.queue === queue);
  if (destination === undefined) throw new Error(`${queue} delivers no notifications`);
  return destination;
}

/** How deliveries of one kind are attempted. */
export interface DeliverySteps<Key, Claim, Result> {
  /** Takes the deliveries that are due, and reads the others. */
  readonly claim: (keys: readonly Key[]) => Promise<readonly (readonly [Key, Claim])[]>;
  /** Releases one slot as soon as the provider has answered. */
  readonly attempt: (
    transport: PushTransport,
    delivery: readonly [Key, Claim],
    slots: Slots,
  ) => Promise<Result>;
  /** The result of a delivery that is left to another worker, because this one closes. */
  readonly leave: (key: Key) => Result;
  /** Whether a delivery has to wait for an earlier one to the same device. */
  readonly isBehind: (result: Result) => boolean;
  readonly keyOf: (result: Result) => Key;
  /** The delivery that waited for the same device behind one that has ended just now; null without one. */
  readonly nextOf: (result: Result) => Key | null;
  /** The same for equal keys. */
  readonly nameOf: (key: Key) => string | number;
}

/** Bounds how many notifications of other jobs a job sends to the same device. */
const MAX_NEXT_ROUNDS = 100;

/** Attempts each delivery once; those behind an earlier one again, for as long as a round ends any. */
export async function runRounds<Key, Claim, Result>(
  pools: PlatformPools,
  destination: Destination,
  keys: readonly Key[],
  steps: DeliverySteps<Key, Claim, Result>,
): Promise<Result[]> {
  const all: Result[] = [];
  let round = keys;
  while (round.length > 0) {
    const results = await runRound(pools, destination, round, steps);
    const behind = results.filter(steps.isBehind);
    const continues = behind.length < results.length && !pools.isClosing;
    all.push(...(continues ? results.filter((one) => !steps.isBehind(one)) : results));
    round = continues ? behind.map(steps.keyOf) : [];
  }
  return all;
}

/**
 * Sends the deliveries that waited behind these, whichever jobs they came with. Resolves with those that are left after
 * many rounds.
 */
export async function runNextRounds<Key, Claim, Result>(
  pools: PlatformPools,
  destination: Destination,
  results: readonly Result[],
  steps: DeliverySteps<Key, Claim, Result>,
): Promise<Key[]> {
  let next = nextKeys(results, steps);
  for (let round = 0; next.length > 0 && round < MAX_NEXT_ROUNDS; round += 1) {
    if (pools.isClosing) return [];
    next = nextKeys(await runRound(pools, destination, next, steps), steps);
  }
  return next;
}

/** The deliveries that waited behind these, without those that were attempted with them. */
function nextKeys<Key, Claim, Result>(
  results: readonly Result[],
  { keyOf, nextOf, nameOf }: DeliverySteps<Key, Claim, Result>,
): Key[] {
  const next = results.map(nextOf).filter((key) => key !== null);
  if (next.length === 0) return next;
  const known = new Set(results.map((result) => nameOf(keyOf(result))));
  return next.filter((key) => !known.has(nameOf(key)));
}

/** Claims deliveries as slots get free, and attempts each once. */
async function runRound<Key, Claim, Result>(
  pools: PlatformPools,
  { lane, platform }: Destination,
  keys: readonly Key[],
  { claim, attempt, leave }: DeliverySteps<Key, Claim, Result>,
): Promise<Result[]> {
  const { semaphore, transport } = pools.of(platform);
  const runChunk = async (chunk: readonly Key[]): Promise<Result[]> => {
    const slots = await semaphore.acquire(lane, chunk.length);
    try {
      if (pools.isClosing) return chunk.map(leave);
      const claims = await claim(chunk);
      // Only after all have settled: a push in flight must not be sent a second time.
      return await allSettled(claims.map((delivery) => attempt(transport, delivery, slots)));
    } finally {
      slots.releaseAll();
    }
  };
  return (await allSettled(semaphore.chunks(lane, keys).map(runChunk))).flat();
}

/** Rejects with the first failure, after all have settled. */
async function allSettled<Value>(work: readonly Promise<Value>[]): Promise<Value[]> {
  const results = await Promise.allSettled(work);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
