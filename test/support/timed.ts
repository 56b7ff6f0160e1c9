/** Resolves with the result of work that has begun, and the milliseconds until then. */
export async function timed<Result>(
  work: Promise<Result>,
): Promise<{ result: Result; ms: number }> {
  const startedAt = performance.now();
  return { result: await work, ms: performance.now() - startedAt };
}
