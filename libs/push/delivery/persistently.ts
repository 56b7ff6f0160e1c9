/** Pauses between attempts, in milliseconds. */
const PAUSES_MS = [100, 400, 1500, 5000];

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Repeats work through a short outage of a store, and rejects after a longer one. */
export async function persistently<Result>(
  work: () => Promise<Result>,
  onFailure: (error: unknown) => void,
): Promise<Result> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await work();
    } catch (error) {
      onFailure(error);
      await sleep(pauseMs);
    }
  }
  return work();
}
