import { Inject, Injectable, Logger } from '@nestjs/common';
import { LIMITS, type Limits } from '#contracts';
import { errorText } from '#core';
import { IdempotencyKeyRepository } from './idempotency-key.repository.js';

/** One in so many requests looks whether its account has too many keys: to look costs as much as the cap is high. */
const LOOK_EVERY = 256;
/** Above LOOK_EVERY, so that an account comes back below its cap. */
const AT_ONCE = 1000;

/** Forgets the oldest keys of accounts that have more than they may have. */
@Injectable()
export class TrimKeys {
  readonly #logger = new Logger(TrimKeys.name);

  constructor(
    private readonly keys: IdempotencyKeyRepository,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'idempotencyKeys'>,
  ) {}

  /** To be called after a request with a key; `chance` is a random number from 0 up to 1. Never rejects. */
  async execute(userId: number, chance = Math.random()): Promise<void> {
    if (chance >= 1 / LOOK_EVERY) return;
    await this.keys.trim(userId, this.limits.idempotencyKeys, AT_ONCE).catch((error: unknown) => {
      this.#logger.warn(`Old request keys were not removed: ${errorText(error)}`);
    });
  }
}
