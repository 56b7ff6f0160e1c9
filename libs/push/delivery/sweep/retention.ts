import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { type Clock, systemClock } from '#platform/core';
import { IdempotencyKeyRepository } from '#platform/idempotency';
import type { DeliveryKey } from '#push/notifications';
import { RetentionRepository } from './retention.repository.js';
import type { SweepTask } from './sweep-task.js';

const PAGE = 500;
/** Of each kind in one call; the next call continues, so that the sweep can do other work in between. */
const MAX_PAGES = 8;
/** The deliveries that one call checks for orphans. */
const ORPHAN_SLICE = 1000;
/** The interval between two checks of all deliveries. */
const ORPHANS_EVERY_MS = 86_400_000;
/** How long a request can be repeated with its key. */
const IDEMPOTENCY_KEYS_MS = 7 * 86_400_000;
/** Lower than every key. */
const FIRST: DeliveryKey = { notificationId: '00000000-0000-0000-0000-000000000000', deviceId: 0 };

/** How long ended notifications are kept, in milliseconds. */
export interface Retention {
  /** Notifications and their deliveries, also those of tenants. */
  readonly historyMs: number;
  /** Dead letters that an operator has neither requeued nor dismissed. */
  readonly deadLettersMs: number;
}

/** DI token of the Retention. */
export const RETENTION = Symbol('Retention');

/** Removes rows that are older than their retention, a bounded number in each call. */
@Injectable()
export class RetentionSweep implements SweepTask {
  readonly #logger = new Logger(RetentionSweep.name);
  /** The check for orphans continues after this delivery. */
  #orphanCursor = FIRST;
  /** UNIX milliseconds. */
  #nextOrphanCheckAt = 0;

  constructor(
    private readonly ledger: RetentionRepository,
    private readonly keys: IdempotencyKeyRepository,
    @Inject(RETENTION) private readonly retention: Retention,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /** Rejects when PostgreSQL is down. */
  async sweep(): Promise<void> {
    const { historyMs, deadLettersMs } = this.retention;
    await inPages((limit) => this.ledger.forgetNotifications(historyMs, limit));
    await inPages((limit) => this.ledger.forgetPages(historyMs, limit));
    await inPages((limit) => this.ledger.forgetDeadLetters(deadLettersMs, limit));
    await inPages((limit) => this.keys.forget(IDEMPOTENCY_KEYS_MS, limit));
    await this.#removeOrphans();
  }

  async #removeOrphans(): Promise<void> {
    if (this.clock() < this.#nextOrphanCheckAt) return;
    const { removed, next } = await this.ledger.removeOrphans(this.#orphanCursor, ORPHAN_SLICE);
    if (removed > 0) this.#logger.warn(`Removed ${removed} deliveries without a notification`);
    this.#orphanCursor = next ?? FIRST;
    if (next === null) this.#nextOrphanCheckAt = this.clock() + ORPHANS_EVERY_MS;
  }
}

/** Removes rows, a page in each call of `remove`, up to a limit. `remove` resolves with the number of removed rows. */
export async function inPages(remove: (limit: number) => Promise<number>): Promise<void> {
  for (let page = 0; page < MAX_PAGES; page += 1) {
    if ((await remove(PAGE)) < PAGE) return;
  }
}
