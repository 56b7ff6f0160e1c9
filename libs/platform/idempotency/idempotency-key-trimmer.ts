import { Inject, Injectable } from '@nestjs/common';
import { LIMITS, type Limits } from '#platform/contracts';
import { ToleratedFailures } from '#platform/core';
import { IdempotencyKeyRepository } from './idempotency-key.repository.js';

/** One of this many requests checks the number of keys, because the cost of the check grows with the cap. */
const CHECK_EVERY = 256;

/** Greater than CHECK_EVERY, so that an account returns below its cap. */
const MAX_PER_TRIM = 1000;

/** Removes the oldest keys of accounts with too many. */
@Injectable()
export class IdempotencyKeyTrimmer {
  readonly #failures = new ToleratedFailures(IdempotencyKeyTrimmer.name);

  constructor(
    private readonly keys: IdempotencyKeyRepository,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'idempotencyKeys'>,
  ) {}

  /** Call this after a request with a key; `chance` is a random number from 0 up to 1. Never rejects. */
  async trimOccasionally(userId: number, chance = Math.random()): Promise<void> {
    if (chance >= 1 / CHECK_EVERY) return;
    await this.keys
      .trim(userId, this.limits.idempotencyKeys, MAX_PER_TRIM)
      .catch((error: unknown) => this.#failures.record(error));
  }
}
