import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { GatewayReportStore } from '#events/status';
import { PeriodicTask } from '#platform/core';
import { EventFollower } from './event-follower.js';
import { HeldPolls } from './held-polls.js';
import { countsBetween, type PollTotals } from './last-minute.rules.js';
import { PollMetrics } from './poll-metrics.js';

const REPORT_MS = 5000;
const REPORTS_PER_MINUTE = 60_000 / REPORT_MS;

/** Writes how this gateway delivers events to Redis every five seconds, and removes it at the shutdown. */
@Injectable()
export class GatewayReports implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #id = randomUUID();
  readonly #startedAt = Date.now();
  /** The totals of the last minute, the oldest first. */
  readonly #totals: PollTotals[] = [];
  readonly #task = new PeriodicTask(REPORT_MS, () => this.report(), {
    failure: 'The report of this gateway was not written',
  });

  constructor(
    private readonly store: GatewayReportStore,
    private readonly held: HeldPolls,
    private readonly follower: EventFollower,
    private readonly metrics: PollMetrics,
  ) {}

  onApplicationBootstrap(): void {
    this.#totals.push(this.metrics.totals());
    // The periodic report follows a failed one.
    void this.report().catch(() => undefined);
    this.#task.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.#task.stop();
    await this.store.forget(this.#id).catch(() => undefined);
  }

  /** Rejects while Redis is down. */
  async report(): Promise<void> {
    const now = this.metrics.totals();
    const [before = now] = this.#totals;
    this.#totals.push(now);
    if (this.#totals.length > REPORTS_PER_MINUTE) this.#totals.shift();
    await this.store.report({
      id: this.#id,
      host: hostname(),
      pid: process.pid,
      startedAt: this.#startedAt,
      reportedAt: Date.now(),
      heldPolls: this.held.count,
      windows: this.follower.size(),
      lastMinute: countsBetween(before, now),
    });
  }
}
