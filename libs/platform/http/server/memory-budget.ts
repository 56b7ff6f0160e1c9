import type { EventEmitter } from 'node:events';
import { ApiError, MEBIBYTE, requestErrors } from '#platform/contracts';
import { addToCount } from '#platform/core';
import { onceAnyClosed } from './connections.js';
import type { SharedBytes } from './sliced-json.js';

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
  /** How many reservations have the bytes. */
  readonly #sharers = new Map<SharedBytes, number>();
  #usedBytes = 0;

  constructor(private readonly limits = DEFAULT_LIMITS) {}

  /**
   * Reserves memory until the first of some requests, responses and connections closes. Returns the error to send instead
   * if there is no memory: `rateLimited` if its owner uses too much, otherwise `temporarilyUnavailable`. Those of the bytes
   * that are `shared` count for each owner, and once for all.
   */
  reserve(
    bytes: number,
    owner: string,
    until: readonly EventEmitter[],
    shared: readonly SharedBytes[] = [],
  ): ApiError | null {
    const own = this.#usedByOwner.get(owner) ?? 0;
    if (own > 0 && own + bytes > this.limits.ownBytes)
      return new ApiError(requestErrors.rateLimited, {}, { 'retry-after': 1 });
    const known = sumOf(shared.filter((one) => this.#sharers.has(one)));
    if (this.#usedBytes + bytes - known > this.limits.bytes)
      return new ApiError(requestErrors.temporarilyUnavailable);
    this.#usedBytes += bytes - known;
    addToCount(this.#usedByOwner, owner, bytes);
    for (const one of shared) addToCount(this.#sharers, one, 1);
    onceAnyClosed(until, () => {
      for (const one of shared) addToCount(this.#sharers, one, -1);
      const remaining = sumOf(shared.filter((one) => this.#sharers.has(one)));
      this.#usedBytes -= bytes - remaining;
      addToCount(this.#usedByOwner, owner, -bytes);
    });
    return null;
  }
}

/** The memory of bodies that arrive and of responses that clients have not read, of this process. */
export const requestMemory = new MemoryBudget();

const sumOf = (all: readonly SharedBytes[]): number =>
  all.reduce((sum, { length }) => sum + length, 0);
