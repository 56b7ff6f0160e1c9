/** How long a look-up is not repeated, at least. */
export interface Remembering {
  readonly forMs: number;
  /** A look-up that took long is remembered this many times longer, so that it never takes up the store. */
  readonly timesItsCost: number;
}

/**
 * Makes a look-up that several ask for within a short time only once. A failure is not remembered, but
 * shared by those who wait for it.
 */
export function remembered<Result>(
  { forMs, timesItsCost }: Remembering,
  look: () => Promise<Result>,
): () => Promise<Result> {
  let kept: Promise<Result> | undefined;
  let goodUntil = 0;
  return () => {
    const startedAt = performance.now();
    if (kept !== undefined && startedAt < goodUntil) return kept;
    const looking = look();
    kept = looking;
    // Until it has ended, nobody begins a second one.
    goodUntil = Infinity;
    looking.then(
      () => {
        const endedAt = performance.now();
        goodUntil = endedAt + Math.max(forMs, (endedAt - startedAt) * timesItsCost);
      },
      () => {
        goodUntil = 0;
      },
    );
    return looking;
  };
}
