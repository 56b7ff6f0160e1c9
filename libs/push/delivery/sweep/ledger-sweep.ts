import { Injectable } from '@nestjs/common';
import type { Platform } from '#push/jobs';
import { DeliveryQueue } from '#push/notifications';
import { type GracePeriods, type OverduePage, SweepRepository } from './sweep.repository.js';
import type { SweepPass, SweepTask } from './sweep-task.js';

const PAGE = 500;
/** Of up to a hundred deliveries each. */
const PAGES = 50;
const FIRST_SEQUENCE = '0';

/** Adds the jobs of deliveries to own users that Redis has lost. */
@Injectable()
export class LedgerSweep implements SweepTask {
  /** Deliveries of this process whose jobs were added again. */
  readonly requeued: Record<Platform, number> = { apns: 0, fcm: 0, web: 0 };

  constructor(
    private readonly ledger: SweepRepository,
    private readonly queue: DeliveryQueue,
  ) {}

  /** Rejects when PostgreSQL is down. */
  async sweep(pass: SweepPass): Promise<void> {
    await this.#sweepAll(pass, (periods, after) => this.ledger.overdue(periods, after, PAGE));
    await this.#sweepAll(pass, (periods, after) => this.ledger.overduePages(periods, after, PAGES));
  }

  async #sweepAll(
    pass: SweepPass,
    overdue: (periods: GracePeriods, after: string) => Promise<OverduePage>,
  ): Promise<void> {
    const gracePeriods = await pass.gracePeriods();
    let after: string | null = FIRST_SEQUENCE;
    while (after !== null && !pass.isStopped()) {
      const page = await overdue(gracePeriods, after);
      if (!(await this.queue.requeue(page.deliveries))) return;
      for (const { platform, deviceIds } of page.deliveries) {
        this.requeued[platform] += deviceIds.length;
      }
      after = page.next;
    }
  }
}
