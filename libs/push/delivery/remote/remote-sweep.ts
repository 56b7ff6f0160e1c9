import { Injectable } from '@nestjs/common';
import { platforms } from '#platform/contracts';
import { RemoteDeliveryQueue } from '#push/tenants';
import type { GracePeriods } from '../sweep/sweep.repository.js';
import { RemoteSweepRepository } from './remote-sweep.repository.js';

const PAGE = 500;

/** Adds the jobs of deliveries of servers that Redis has lost. */
@Injectable()
export class RemoteSweep {
  constructor(
    private readonly deliveries: RemoteSweepRepository,
    private readonly queue: RemoteDeliveryQueue,
  ) {}

  /** Rejects when PostgreSQL is down. */
  async requeue(gracePeriods: GracePeriods, isStopped: () => boolean): Promise<void> {
    for (const platform of platforms) {
      const ageMs = gracePeriods[platform];
      if (ageMs === undefined) continue;
      let afterId: number | undefined = 0;
      while (afterId !== undefined && !isStopped()) {
        const ids: number[] = await this.deliveries.overdue(platform, ageMs, afterId, PAGE);
        if (!(await this.queue.requeue(platform, ids))) break;
        afterId = ids.length < PAGE ? undefined : ids.at(-1);
      }
    }
  }
}
