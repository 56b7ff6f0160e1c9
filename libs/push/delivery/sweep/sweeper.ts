import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { lazily, type OnSchemaReady, PeriodicTask, systemClock } from '#platform/core';
import { GracePeriodReader } from './grace-period-reader.js';
import { SWEEP_TASKS, type SweepTask } from './sweep-task.js';
import { SWEEP_TIMING, type SweepTiming } from './sweep-timing.js';

/**
 * A pass takes at most about a tenth of the time. But it is slow also on a busy machine and during an outage, after which
 * lost jobs must not wait for long.
 */
const PAUSES = { pausePerRun: 10, maxPauseMs: 10_000 };

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
    @Inject(SWEEP_TASKS) private readonly tasks: readonly SweepTask[],
    private readonly gracePeriods: GracePeriodReader,
    @Inject(SWEEP_TIMING) timing: SweepTiming,
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
    const pass = {
      gracePeriods: lazily(() => this.gracePeriods.read()),
      isStopped: () => this.#task.isStopping,
    };
    for (const task of this.tasks) await task.sweep(pass);
    this.completedAt = systemClock();
  }
}
