import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { platforms } from '#platform/contracts';
import { PeriodicTask } from '#platform/core';
import { JobQueues } from '#platform/queue';
import { RemoteDeliveryQueue } from '#push/remotes';
import { gracePeriodOf } from '../sweep/grace-period.js';
import { RETENTION, type Retention } from '../sweep/retention.js';
import { RemoteSweepRepository } from './remote-sweep.repository.js';
import { SWEEP_PAUSES, SWEEP_TIMING, type SweepTiming } from '../sweep/sweeper.js';

const PAGE = 500;
const MAX_PAGES = 20;

/** Adds the jobs of deliveries of servers that Redis has lost, and removes old deliveries. */
@Injectable()
export class RemoteSweep implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #task: PeriodicTask;

  constructor(
    private readonly deliveries: RemoteSweepRepository,
    private readonly queue: RemoteDeliveryQueue,
    private readonly queues: JobQueues,
    @Inject(RETENTION) private readonly retention: Retention,
    @Inject(SWEEP_TIMING) private readonly timing: SweepTiming,
  ) {
    this.#task = new PeriodicTask(timing.everyMs, () => this.sweep(), {
      failure: 'A pass over the deliveries of servers was interrupted',
      ...SWEEP_PAUSES,
      logger: new Logger(RemoteSweep.name),
    });
  }

  onApplicationBootstrap(): void {
    this.#task.start();
  }

  onModuleDestroy(): void {
    // The shutdown does not wait for a pass: another worker's pass does the rest.
    void this.#task.stop();
  }

  /** Rejects when PostgreSQL or Redis is down. */
  async sweep(): Promise<void> {
    const periods = await Promise.all(
      platforms.map((platform) => gracePeriodOf(platform, this.timing.gracePeriodMs, this.queues)),
    );
    const ageMs = Math.max(...periods);
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const overdue = await this.deliveries.overdue(ageMs, PAGE);
      for (const platform of platforms) {
        const ids = overdue.filter((one) => one.platform === platform).map(({ id }) => id);
        await this.queue.requeue(platform, ids);
      }
      if (overdue.length < PAGE) break;
    }
    for (let page = 0; page < MAX_PAGES; page += 1) {
      if ((await this.deliveries.forget(this.retention.historyMs, PAGE)) < PAGE) return;
    }
  }
}
