import { Inject, Injectable } from '@nestjs/common';
import { ApiError, requestErrors } from '#platform/contracts';
import { OwnerSlots } from '#platform/core';
import { Database } from '#platform/database';

/** The part of the connections to PostgreSQL that readings of narrows may hold at once. */
const SHARE_OF_POOL = 0.5;

/** The part that slow readings may hold of it. */
const SLOW_SHARE_OF_POOL = 0.2;

/** The readings of one account at once, so that a few slow ones do not keep other accounts waiting. */
const MAX_OF_ACCOUNT = { all: 2, slow: 1 };

/** The readings of one account that wait for others of it: clients load the topics of a whole page at once. */
const MAX_WAITING = 50;

/** A reading, of which there may be many at once, or one that may hold its connection for seconds: a search, a large page. */
export type Pace = 'usual' | 'slow';

/** Bounds the readings of narrows at once: each may hold a connection for seconds, and a page much memory. */
@Injectable()
export class FetchSlots {
  readonly #all: OwnerSlots;
  readonly #slow: OwnerSlots;

  constructor(@Inject(Database) { poolSize }: Pick<Database, 'poolSize'>) {
    const slotsOf = (share: number, ofOwner: number) =>
      new OwnerSlots({
        all: Math.max(1, Math.floor(poolSize * share)),
        ofOwner,
        waiting: MAX_WAITING,
        refusal: () => new ApiError(requestErrors.temporarilyUnavailable),
      });
    this.#all = slotsOf(SHARE_OF_POOL, MAX_OF_ACCOUNT.all);
    this.#slow = slotsOf(SLOW_SHARE_OF_POOL, MAX_OF_ACCOUNT.slow);
  }

  /** Runs a reading when a slot is free. Rejects with `temporarilyUnavailable` if too many of the account wait. */
  async run<Result>(userId: number, pace: Pace, read: () => Promise<Result>): Promise<Result> {
    const owner = String(userId);
    const run = () => this.#all.run(owner, read);
    // A slow one takes a slot of all readings last: it must not hold one while it waits for a slow one.
    return pace === 'slow' ? this.#slow.run(owner, run) : run();
  }
}
