import { type Backoff, backoffMs, type Jitter, withJitter } from '#platform/core';

const BACKOFF: Backoff = { firstMs: 5000, maxMs: 900_000 };
const JITTER: Jitter = { least: 1, most: 1.5 };

/**
 * The pause before a request to the push service is retried, in milliseconds, after `failures` failures in a row (1 or
 * more). It is not shorter than the pause that the answer asks for.
 */
export const serviceRetryDelayMs = (
  failures: number,
  answer: { readonly kind: string; readonly retryAfterMs?: number | null },
): number => Math.max(withJitter(backoffMs(failures, BACKOFF), JITTER), answer.retryAfterMs ?? 0);
