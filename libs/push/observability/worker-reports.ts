import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Optional,
} from '@nestjs/common';
import type { QueueName } from '#push/jobs';
import { type Clock, PeriodicTask, systemClock, VERSION } from '#platform/core';
import { CircuitBreakers, TokenPruneGuard } from '#push/breakers';
import { InFlightPushes } from './in-flight-pushes.js';
import { PushActivityStore } from './push-activity.store.js';
import { breakerReports, type WorkerReport } from './worker-report.js';

const REPORT_MS = 2000;

/** The settings of this process that it reports. */
export interface ReportedSettings {
  /** The queues that it consumes. */
  readonly queues: readonly QueueName[];
  /** Whether it has credentials for a provider. */
  readonly hasProvider: boolean;
}

/** DI token of the ReportedSettings. */
export const REPORTED_SETTINGS = Symbol('ReportedSettings');

/**
 * Writes the report of this worker to Redis every two seconds and at each new connection, and removes it at the shutdown.
 * Gateways tell clients from it whether notifications can be sent, so that the first report must not be late.
 */
@Injectable()
export class WorkerReports implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #id = randomUUID();
  readonly #startedAt: number;
  readonly #task = new PeriodicTask(REPORT_MS, () => this.report(), {
    failure: 'The report of this worker was not written',
  });

  constructor(
    private readonly store: PushActivityStore,
    private readonly pushes: InFlightPushes,
    @Inject(CircuitBreakers) private readonly breakers: Pick<CircuitBreakers, 'statuses'>,
    @Inject(TokenPruneGuard) private readonly tokens: Pick<TokenPruneGuard, 'alarms'>,
    @Inject(REPORTED_SETTINGS) private readonly settings: ReportedSettings,
    @Optional() private readonly clock: Clock = systemClock,
  ) {
    this.#startedAt = clock();
  }

  onApplicationBootstrap(): void {
    // The periodic report follows a failed one.
    this.store.onConnected(() => void this.report().catch(() => undefined));
    this.#task.start();
  }

  /** After the last jobs. The global RedisModule closes its connection later. */
  async onApplicationShutdown(): Promise<void> {
    await this.#task.stop();
    await this.store.workers.forget(this.#id).catch(() => undefined);
  }

  /** Rejects while Redis is down. */
  report(): Promise<void> {
    return this.store.reportWorker(this.#present(), this.settings.hasProvider);
  }

  #present(): WorkerReport {
    const now = this.clock();
    return {
      id: this.#id,
      host: hostname(),
      pid: process.pid,
      version: VERSION,
      queues: [...this.settings.queues],
      startedAt: this.#startedAt,
      reportedAt: now,
      inFlight: this.pushes.count,
      oldestInFlightAt: {
        apns: this.pushes.oldestSince('apns', now),
        fcm: this.pushes.oldestSince('fcm', now),
        web: this.pushes.oldestSince('web', now),
      },
      breakers: breakerReports(this.breakers),
      pruneAlarms: [...this.tokens.alarms],
    };
  }
}
