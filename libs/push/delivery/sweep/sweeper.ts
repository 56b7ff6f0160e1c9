import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { type Platform, platforms } from '#platform/contracts';
import { PeriodicTask, systemClock } from '#platform/core';
import { JobQueues } from '#platform/queue';
import { DeliveryQueue } from '#push/notifications';
import { ControlSweep } from './control-sweep.js';
import { gracePeriodOf } from './grace-period.js';
import { RetentionSweep } from './retention.js';
import { type OverduePage, type GracePeriods, SweepRepository } from './sweep.repository.js';

const PAGE = 500;
const FIRST_SEQUENCE = '0';
/** After Redis has lost the queues: only deliveries that are just being accepted are younger. */
const RESET_AGE_MS = 1_000;
/**
 * A pass takes at most about a tenth of the time. But it is slow also on a busy machine and during an outage, after which
 * lost jobs must not wait for long.
 */
export const SWEEP_PAUSES = { pausePerRun: 10, maxPauseMs: 10_000 };

/** The intervals of the sweeper. */
export interface SweepTiming {
  /** Between two passes. */
  readonly everyMs: number;
  /** The job of a delivery that is overdue for longer is added again, unless the queue is behind. */
  readonly gracePeriodMs: number;
}

/** DI token of the SweepTiming. */
export const SWEEP_TIMING = Symbol('SweepTiming');

/**
 * Adds the jobs of pending work in PostgreSQL that Redis has lost or never got. A job that is still in its queue
 * is not added twice.
 */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, OnModuleDestroy {
  /** Deliveries of this process whose jobs were added again. */
  readonly requeued: Record<Platform, number> = { apns: 0, fcm: 0 };
  /** The end of the last complete pass of this process, in UNIX milliseconds. */
  completedAt: number | undefined;
  readonly #task: PeriodicTask;
  #isStopped = false;

  constructor(
    private readonly control: ControlSweep,
    private readonly ledger: SweepRepository,
    private readonly retention: RetentionSweep,
    private readonly deliveryQueue: DeliveryQueue,
    private readonly queues: JobQueues,
    @Inject(SWEEP_TIMING) private readonly timing: SweepTiming,
  ) {
    this.#task = new PeriodicTask(timing.everyMs, () => this.sweep(), {
      failure: 'A pass was interrupted',
      ...SWEEP_PAUSES,
      logger: new Logger(Sweeper.name),
    });
  }

  onApplicationBootstrap(): void {
    this.#task.start();
  }

  onModuleDestroy(): void {
    this.#isStopped = true;
    // The shutdown does not wait for a pass: another worker's pass does the rest.
    void this.#task.stop();
  }

  /** One pass over everything. Rejects when PostgreSQL is down. */
  async sweep(): Promise<void> {
    await this.control.run(() => this.#isStopped);
    await this.#sweepLedger();
    await this.retention.run();
    this.completedAt = systemClock();
  }

  async #sweepLedger(): Promise<void> {
    const gracePeriods = await this.#gracePeriods();
    let after: string | null = FIRST_SEQUENCE;
    while (after !== null && !this.#isStopped) {
      const page: OverduePage = await this.ledger.overdue(gracePeriods, after, PAGE);
      if (!(await this.deliveryQueue.requeue(page.deliveries))) return;
      for (const { platform, deviceIds } of page.deliveries) {
        this.requeued[platform] += deviceIds.length;
      }
      after = page.next;
    }
  }

  /**
   * Grows with the age of the oldest job of a platform. Without the platforms whose Redis does not answer, so that nothing
   * is added for them: nodes of a cluster fail alone.
   */
  async #gracePeriods(): Promise<GracePeriods> {
    const hasLostJobs = await this.queues.claimRedisReset().catch(() => false);
    const results = await Promise.allSettled(
      platforms.map(async (platform) => {
        const periodMs = await gracePeriodOf(platform, this.timing.gracePeriodMs, this.queues);
        return [platform, hasLostJobs ? RESET_AGE_MS : periodMs] as const;
      }),
    );
    return Object.fromEntries(
      results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    );
  }
}
