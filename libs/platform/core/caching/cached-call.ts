/** How long a result is cached. */
interface CachePolicy {
  readonly forMs: number;
  /** A slow call is cached for its duration times this factor, so that it never keeps the store busy. */
  readonly costFactor: number;
}

/** Caches the result of a call, and shares a call that is running. A failure is shared, but not cached. */
export function cachedCall<Result>(
  { forMs, costFactor }: CachePolicy,
  call: () => Promise<Result>,
): () => Promise<Result> {
  let kept: Promise<Result> | undefined;
  let goodUntil = 0;
  return () => {
    const startedAt = performance.now();
    if (kept !== undefined && startedAt < goodUntil) return kept;
    const running = call();
    kept = running;
    // No second call starts before this one has ended.
    goodUntil = Infinity;
    running.then(
      () => {
        const endedAt = performance.now();
        goodUntil = endedAt + Math.max(forMs, (endedAt - startedAt) * costFactor);
      },
      () => {
        goodUntil = 0;
      },
    );
    return running;
  };
}
