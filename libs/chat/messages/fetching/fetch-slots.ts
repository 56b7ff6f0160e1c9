import { Inject, Injectable } from '@nestjs/common';
import pLimit, { type LimitFunction } from 'p-limit';
import { ApiError, requestErrors } from '#platform/contracts';
import { Database } from '#platform/database';

/** The part of the connections to PostgreSQL that readings of narrows may hold at once. */
const SHARE_OF_POOL = 0.5;

/** The part that slow readings may hold of it. */
const SLOW_SHARE_OF_POOL = 0.2;

/** The readings of one account at once, so that a few slow ones do not keep other accounts waiting. */
const MAX_OF_ACCOUNT = { all: 2, slow: 1 };

/** The readings of one account that wait for others of it: clients load the topics of a whole page at once. */
const MAX_WAITING = 50;

/** A reading, of which there may be many at once, or one that may hold its connection for seconds, such as a search. */
export type Pace = 'usual' | 'slow';

/** Bounds the readings of narrows at once: each may hold a connection for seconds, and a page much memory. */
@Injectable()
export class FetchSlots {
  readonly #all: LimitFunction;
  readonly #slow: LimitFunction;
  readonly #ofAccounts = new Map<string, LimitFunction>();

  constructor(@Inject(Database) { poolSize }: Pick<Database, 'poolSize'>) {
    const limitOf = (share: number) => pLimit(Math.max(1, Math.floor(poolSize * share)));
    this.#all = limitOf(SHARE_OF_POOL);
    this.#slow = limitOf(SLOW_SHARE_OF_POOL);
  }

  /** Runs a reading when a slot is free. Rejects with `temporarilyUnavailable` if too many of the account wait. */
  async run<Result>(userId: number, pace: Pace, read: () => Promise<Result>): Promise<Result> {
    const any = () => this.#ofAccount(`${userId}`, MAX_OF_ACCOUNT.all, () => this.#all(read));
    // A slow one takes a slot of all readings last: it must not hold one while it waits for a slow one.
    return pace === 'slow'
      ? this.#ofAccount(`slow ${userId}`, MAX_OF_ACCOUNT.slow, () => this.#slow(any))
      : any();
  }

  async #ofAccount<Result>(
    key: string,
    most: number,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const own = this.#ofAccounts.get(key) ?? pLimit(most);
    if (own.pendingCount >= MAX_WAITING) throw new ApiError(requestErrors.temporarilyUnavailable);
    this.#ofAccounts.set(key, own);
    try {
      return await own(work);
    } finally {
      if (own.activeCount + own.pendingCount === 0) this.#ofAccounts.delete(key);
    }
  }
}
