import { type Backoff, backoffMs, type Jitter, withJitter } from '#platform/core';

const MAX_DELAY_MS = 900_000;
const BACKOFF: Backoff = { firstMs: 5000, maxMs: MAX_DELAY_MS };
const JITTER: Jitter = { least: 1, most: 1.5 };

/**
 * The pause before a request to the push service is retried, in milliseconds, after `failures` failures in a row (1 or
 * more). It grows up to `maxMs`, and is not shorter than the pause that the answer asks for.
 */
export const serviceRetryDelayMs = (
  failures: number,
  answer: { readonly kind: string; readonly retryAfterMs?: number | null },
  maxMs = MAX_DELAY_MS,
): number => {
  const grown = backoffMs(failures, { ...BACKOFF, maxMs });
  return Math.max(withJitter(grown, JITTER), answer.retryAfterMs ?? 0);
};
