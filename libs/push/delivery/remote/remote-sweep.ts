import { Injectable } from '@nestjs/common';
import { platforms } from '#platform/contracts';
import { RemoteDeliveryQueue } from '#push/remotes';
import type { GracePeriods } from '../sweep/sweep.repository.js';
import { RemoteSweepRepository } from './remote-sweep.repository.js';

const PAGE = 500;
/** Of each platform in one pass. A slow pass would find its own deliveries overdue again, and not end. */
const MAX_PAGES = 20;

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
      for (let page = 0; page < MAX_PAGES && !isStopped(); page += 1) {
        const ids = await this.deliveries.overdue(platform, ageMs, PAGE);
        if (!(await this.queue.requeue(platform, ids)) || ids.length < PAGE) break;
      }
    }
  }
}
