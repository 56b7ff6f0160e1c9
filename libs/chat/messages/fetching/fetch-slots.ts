import { Inject, Injectable } from '@nestjs/common';
import pLimit, { type LimitFunction } from 'p-limit';
import { ApiError, requestErrors } from '#platform/contracts';
import { Database } from '#platform/database';

/** The part of the connections to PostgreSQL that readings of narrows may hold at once. */
const SHARE_OF_POOL = 0.5;

/** The readings of one account at once, so that a few slow ones do not keep other accounts waiting. */
const MAX_OF_ACCOUNT = 2;

/** The readings of one account that wait for others of it: clients load the topics of a whole page at once. */
const MAX_WAITING = 50;

/** Bounds the readings of narrows at once: each may hold a connection for seconds, and a page much memory. */
@Injectable()
export class FetchSlots {
  readonly #all: LimitFunction;
  readonly #ofAccounts = new Map<number, LimitFunction>();

  constructor(@Inject(Database) { poolSize }: Pick<Database, 'poolSize'>) {
    this.#all = pLimit(Math.max(1, Math.floor(poolSize * SHARE_OF_POOL)));
  }

  /** Runs a reading when a slot is free. Rejects with `temporarilyUnavailable` if too many of the account wait. */
  async run<Result>(userId: number, read: () => Promise<Result>): Promise<Result> {
    const own = this.#ofAccounts.get(userId) ?? pLimit(MAX_OF_ACCOUNT);
    if (own.pendingCount >= MAX_WAITING) throw new ApiError(requestErrors.temporarilyUnavailable);
    this.#ofAccounts.set(userId, own);
    try {
      return await own(() => this.#all(read));
    } finally {
      if (own.activeCount + own.pendingCount === 0) this.#ofAccounts.delete(userId);
    }
  }
}
