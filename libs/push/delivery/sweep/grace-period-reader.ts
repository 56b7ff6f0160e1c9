import { Inject, Injectable } from '@nestjs/common';
import { type PushJobs, type Platform, platformQueue, platforms, pushLanes } from '#push/jobs';
import { JobQueues } from '#platform/queue';
import { QUEUE_PLATFORM, type QueuePlatform } from '#push/relay';
import type { GracePeriods } from './sweep.repository.js';
import { SWEEP_TIMING, type SweepTiming } from './sweep-timing.js';

/** After Redis has lost the queues: only deliveries that are just being accepted are younger. */
const RESET_AGE_MS = 1_000;
/** A delivery behind others is not lost: a job may be late by twice the age of the oldest one. */
const GRACE_PER_AGE = 2;

/** Reads from the queues how long deliveries may be overdue before their jobs count as lost. */
@Injectable()
export class GracePeriodReader {
  constructor(
    private readonly queues: JobQueues<PushJobs>,
    @Inject(SWEEP_TIMING) private readonly timing: SweepTiming,
    @Inject(QUEUE_PLATFORM) private readonly queuePlatform: QueuePlatform,
  ) {}

  /**
   * Grows with the age of the oldest job of a platform. Without the platforms whose Redis does not answer, so that nothing
   * is added for them: nodes of a cluster fail alone. Never rejects.
   */
  async read(): Promise<GracePeriods> {
    const hasLostJobs = await this.queues.claimRedisReset().catch(() => false);
    const results = await Promise.allSettled(
      platforms.map(async (platform) => {
        const periodMs = await this.#periodOf(platform);
        return [platform, hasLostJobs ? RESET_AGE_MS : periodMs] as const;
      }),
    );
    return Object.fromEntries(
      results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    );
  }

  async #periodOf(platform: Platform): Promise<number> {
    const queued = this.queuePlatform(platform);
    const ages = await Promise.all(
      pushLanes.map((lane) => this.queues.oldestWaitingMs(platformQueue(queued, lane))),
    );
    return this.timing.gracePeriodMs + GRACE_PER_AGE * Math.max(...ages.map((age) => age ?? 0));
  }
}
