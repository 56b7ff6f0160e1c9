import { Injectable, Optional } from '@nestjs/common';
import { QueueInventoryRepository } from '#events/queues';
import { type Clock, systemClock, withinDeadline } from '#platform/core';
import type { GatewayReport } from './gateway-report.js';
import { GatewayReportStore } from './gateway-report.store.js';

/** A store that takes longer counts as down, as it does for health. */
const DEADLINE_MS = 2000;

/** The delivery of events, for operators. A part is null while its store is down. */
interface EventStatus {
  readonly gateways: readonly GatewayReport[] | null;
  /** The registered queues: at most `most`. */
  readonly queues: { readonly count: number; readonly most: number } | null;
}

/** Reads how events are delivered. */
@Injectable()
export class EventStatusService {
  constructor(
    private readonly reports: GatewayReportStore,
    private readonly queues: QueueInventoryRepository,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /** Never rejects: each of the two stores may be down. */
  async read(): Promise<EventStatus> {
    const [gateways, queues] = await Promise.all([
      orNull(this.reports.recent(this.clock())),
      orNull(this.queues.count()),
    ]);
    return { gateways, queues };
  }
}

const orNull = <Result>(work: Promise<Result>): Promise<Result | null> =>
  withinDeadline<Result | null>(DEADLINE_MS, work, () => null).catch(() => null);
