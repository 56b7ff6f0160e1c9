import { Inject, Injectable } from '@nestjs/common';
import { phonePlatforms } from '#push/jobs';
import { TenantDeliveryQueue } from '../notify/tenant-delivery-queue.js';
import { inPages, RETENTION, type Retention, type SweepPass, type SweepTask } from '#push/delivery';
import { TenantSweepRepository } from './tenant-sweep.repository.js';

const PAGE = 500;

/** Adds the jobs of deliveries of tenants that Redis has lost, and removes old deliveries. */
@Injectable()
export class TenantSweep implements SweepTask {
  constructor(
    private readonly deliveries: TenantSweepRepository,
    private readonly queue: TenantDeliveryQueue,
    @Inject(RETENTION) private readonly retention: Pick<Retention, 'historyMs'>,
  ) {}

  /** Rejects when PostgreSQL is down. */
  async sweep(pass: SweepPass): Promise<void> {
    await this.#requeue(pass);
    await inPages((limit) => this.deliveries.forget(this.retention.historyMs, limit));
  }

  async #requeue(pass: SweepPass): Promise<void> {
    const gracePeriods = await pass.gracePeriods();
    for (const platform of phonePlatforms) {
      const ageMs = gracePeriods[platform];
      if (ageMs === undefined) continue;
      let afterId: number | undefined = 0;
      while (afterId !== undefined && !pass.isStopped()) {
        const page = await this.deliveries.overdue(platform, ageMs, afterId, PAGE);
        if (!(await this.queue.requeue(page))) break;
        afterId = page.length < PAGE ? undefined : page.at(-1)?.id;
      }
    }
  }
}
