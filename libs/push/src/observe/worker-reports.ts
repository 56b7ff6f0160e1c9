import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { QueueName } from '#contracts';
import { CLOCK, type Clock, VERSION } from '#core';
import { GATE_STATUSES, type GateStatuses } from './gate-statuses.js';
import { PushActivityStore } from './push-activity.store.js';
import { SendingWatch } from './sending-watch.js';
import type { WorkerReport } from './worker-report.js';

const REPORT_MS = 2000;

/** DI token of the names of the queues that this process consumes. */
export const CONSUMED_QUEUES = Symbol('ConsumedQueues');

/** Says every two seconds in Redis that this worker is there, and how it stands; no longer when it stops. */
@Injectable()
export class WorkerReports implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #id = randomUUID();
  readonly #startedAt: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: PushActivityStore,
    private readonly sending: SendingWatch,
    @Inject(GATE_STATUSES) private readonly gates: GateStatuses,
    @Inject(CONSUMED_QUEUES) private readonly queues: readonly QueueName[],
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.#startedAt = clock();
    store.beforeClose(() => store.forget(this.#id));
  }

  onApplicationBootstrap(): void {
    void this.report();
    this.#timer = setInterval(() => void this.report(), REPORT_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.#timer);
  }

  /** Never rejects: while Redis is away, nobody can be told. */
  async report(): Promise<void> {
    await this.store.report(this.#present()).catch(() => undefined);
  }

  #present(): WorkerReport {
    const now = this.clock();
    return {
      id: this.#id,
      host: hostname(),
      pid: process.pid,
      version: VERSION,
      queues: this.queues,
      startedAt: this.#startedAt,
      reportedAt: now,
      inFlight: this.sending.inFlight,
      oldestInFlightAt: {
        apns: this.sending.oldestSince('apns', now),
        fcm: this.sending.oldestSince('fcm', now),
      },
      gates: this.gates.all(),
      pruneAlarms: this.gates.alarms(),
    };
  }
}
