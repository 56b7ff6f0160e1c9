import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { platforms } from '#platform/contracts';
import { type OnSchemaReady, PeriodicTask, systemClock } from '#platform/core';
import { JobQueues } from '#platform/queue';
import { RemoteSweep } from '../remote/remote-sweep.js';
import { ControlSweep } from './control-sweep.js';
import { gracePeriodOf } from './grace-period.js';
import { LedgerSweep } from './ledger-sweep.js';
import { RetentionSweep } from './retention.js';
import type { GracePeriods } from './sweep.repository.js';

/** After Redis has lost the queues: only deliveries that are just being accepted are younger. */
const RESET_AGE_MS = 1_000;
/**
 * A pass takes at most about a tenth of the time. But it is slow also on a busy machine and during an outage, after which
 * lost jobs must not wait for long.
 */
const PAUSES = { pausePerRun: 10, maxPauseMs: 10_000 };

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
export class Sweeper implements OnSchemaReady, OnModuleDestroy {
  /** The end of the last complete pass of this process, in UNIX milliseconds. */
  completedAt: number | undefined;
  readonly #task: PeriodicTask;

  constructor(
    private readonly control: ControlSweep,
    private readonly ledger: LedgerSweep,
    private readonly remote: RemoteSweep,
    private readonly retention: RetentionSweep,
    private readonly queues: JobQueues,
    @Inject(SWEEP_TIMING) private readonly timing: SweepTiming,
  ) {
    this.#task = new PeriodicTask(timing.everyMs, () => this.sweep(), {
      failure: 'A pass was interrupted',
      ...PAUSES,
      logger: new Logger(Sweeper.name),
    });
  }

  onSchemaReady(): void {
    this.#task.start();
  }

  onModuleDestroy(): void {
    // The shutdown does not wait for a pass: another worker's pass does the rest.
    void this.#task.stop();
  }

  /** One pass over everything. Rejects when PostgreSQL is down. */
  async sweep(): Promise<void> {
    const isStopped = (): boolean => this.#task.isStopping;
    await this.control.run(isStopped);
    const gracePeriods = await this.#gracePeriods();
    await this.ledger.requeue(gracePeriods, isStopped);
    await this.remote.requeue(gracePeriods, isStopped);
    await this.retention.run();
    this.completedAt = systemClock();
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
