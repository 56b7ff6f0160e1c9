import type { EventEmitter } from 'node:events';
import { ApiError, MEBIBYTE, requestErrors } from '#platform/contracts';
import { addToCount } from '#platform/core';
import { onceAnyClosed } from './connections.js';

/** The limits of a MemoryBudget. */
export interface BudgetLimits {
  readonly bytes: number;
  /** Of one owner; a single reservation may be larger. */
  readonly ownBytes: number;
}

const DEFAULT_LIMITS: BudgetLimits = { bytes: 256 * MEBIBYTE, ownBytes: 64 * MEBIBYTE };

/** Memory that many owners share, and that one of them cannot fill. */
export class MemoryBudget {
  readonly #usedByOwner = new Map<string, number>();
  #usedBytes = 0;

  constructor(private readonly limits = DEFAULT_LIMITS) {}

  /**
   * Reserves memory until the first of some requests, responses and connections closes. Returns the error to send instead
   * if there is no memory: `rateLimited` if its owner uses too much, otherwise `temporarilyUnavailable`.
   */
  reserve(bytes: number, owner: string, until: readonly EventEmitter[]): ApiError | null {
    const own = this.#usedByOwner.get(owner) ?? 0;
    if (own > 0 && own + bytes > this.limits.ownBytes)
      return new ApiError(requestErrors.rateLimited, {}, { 'retry-after': 1 });
    if (this.#usedBytes + bytes > this.limits.bytes)
      return new ApiError(requestErrors.temporarilyUnavailable);
    this.#charge(owner, bytes);
    onceAnyClosed(until, () => this.#charge(owner, -bytes));
    return null;
  }

  #charge(owner: string, bytes: number): void {
    this.#usedBytes += bytes;
    addToCount(this.#usedByOwner, owner, bytes);
  }
}
