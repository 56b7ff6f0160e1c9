import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  Optional,
} from '@nestjs/common';
import type { QueueName } from '#platform/contracts';
import { type Clock, PeriodicTask, systemClock, VERSION } from '#platform/core';
import { CircuitBreakers, TokenPruneGuard } from '#push/breakers';
import { InFlightPushes } from './in-flight-pushes.js';
import { PushActivityStore } from './push-activity.store.js';
import { breakerReports, type WorkerReport } from './worker-report.js';

const REPORT_MS = 2000;

/** DI token of the names of the queues that this process consumes. */
export const CONSUMED_QUEUES = Symbol('ConsumedQueues');

/** Writes the report of this worker to Redis every two seconds, and removes it at the shutdown. */
@Injectable()
export class WorkerReports implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #id = randomUUID();
  readonly #startedAt: number;
  readonly #task = new PeriodicTask(REPORT_MS, () => this.report());

  constructor(
    private readonly store: PushActivityStore,
    private readonly pushes: InFlightPushes,
    @Inject(CircuitBreakers) private readonly breakers: Pick<CircuitBreakers, 'statuses'>,
    @Inject(TokenPruneGuard) private readonly tokens: Pick<TokenPruneGuard, 'alarms'>,
    @Inject(CONSUMED_QUEUES) private readonly queues: readonly QueueName[],
    @Optional() private readonly clock: Clock = systemClock,
  ) {
    this.#startedAt = clock();
    store.beforeClose(() => store.workers.forget(this.#id));
  }

  onApplicationBootstrap(): void {
    void this.report();
    this.#task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.#task.stop();
  }

  /** Never rejects: a report that fails is followed by the next. */
  async report(): Promise<void> {
    await this.store.workers.report(this.#present()).catch(() => undefined);
  }

  #present(): WorkerReport {
    const now = this.clock();
    return {
      id: this.#id,
      host: hostname(),
      pid: process.pid,
      version: VERSION,
      queues: [...this.queues],
      startedAt: this.#startedAt,
      reportedAt: now,
      inFlight: this.pushes.count,
      oldestInFlightAt: {
        apns: this.pushes.oldestSince('apns', now),
        fcm: this.pushes.oldestSince('fcm', now),
      },
      breakers: breakerReports(this.breakers),
      pruneAlarms: [...this.tokens.alarms],
    };
  }
}
