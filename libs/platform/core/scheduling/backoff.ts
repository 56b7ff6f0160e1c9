/** How the delays between retries grow. */
export interface Backoff {
  /** The delay after the first failure. It doubles with each further one. */
  readonly firstMs: number;
  readonly maxMs: number;
}

/** The range of the random factor of a delay. It keeps retries that failed together from coming back together. */
export interface Jitter {
  readonly least: number;
  readonly most: number;
}

/** The delay in milliseconds before the next attempt, after `failures` failures in a row (1 or more). */
export const backoffMs = (failures: number, { firstMs, maxMs }: Backoff): number =>
  Math.min(firstMs * 2 ** (failures - 1), maxMs);

/** A delay times a random factor; `chance` is a random number from 0 up to 1. */
export const withJitter = (
  delayMs: number,
  { least, most }: Jitter,
  chance = Math.random(),
): number => delayMs * (least + (most - least) * chance);

/** The delays between the attempts of `retryThroughOutage`. */
const OUTAGE_DELAYS_MS = [100, 400, 1500, 5000];

/** Repeats work up to four times within seven seconds, so that it survives a short outage of a store; then rejects. */
export async function retryThroughOutage<Result>(
  work: () => Promise<Result>,
  onFailure: (error: unknown) => void,
): Promise<Result> {
  for (const delayMs of OUTAGE_DELAYS_MS) {
    try {
      return await work();
    } catch (error) {
      onFailure(error);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
  return work();
}
