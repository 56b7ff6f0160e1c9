import { Injectable } from '@nestjs/common';
import { Distribution, type Metrics } from '#platform/telemetry';
import { HeldPolls } from './held-polls.js';
import { LAG_BUCKETS_MS, type PollTotals } from './last-minute.rules.js';

/** Why a poll was answered. */
type AnswerKind = 'events' | 'empty' | 'heartbeat';

const LAG_BUCKETS_SECONDS = LAG_BUCKETS_MS.map((ms) => ms / 1000);

/** Counts polls, and publishes them as metrics. */
@Injectable()
export class PollMetrics {
  readonly #answers: Record<AnswerKind, number> = { events: 0, empty: 0, heartbeat: 0 };
  #events = 0;
  #overflows = 0;
  #readFromLog = 0;
  readonly #lagSeconds = new Distribution(LAG_BUCKETS_SECONDS);

  constructor(private readonly held: HeldPolls) {}

  /** Counts a poll, and the events of its answer. */
  answered(kind: AnswerKind, events: number): void {
    this.#answers[kind] += 1;
    this.#events += events;
  }

  /** Counts a queue that was deleted because too many events waited in it. */
  overflowed(): void {
    this.#overflows += 1;
  }

  /** Counts a poll whose events were read from PostgreSQL. */
  readFromLog(): void {
    this.#readFromLog += 1;
  }

  /** Records the time from the storage of an event to the answer of a held poll. */
  recordLag(seconds: number): void {
    this.#lagSeconds.observe(Math.max(0, seconds));
  }

  /** The counts since the start. */
  totals(): PollTotals {
    return {
      polls: Object.values(this.#answers).reduce((sum, count) => sum + count, 0),
      delivered: this.#events,
      readFromLog: this.#readFromLog,
      overflowed: this.#overflows,
      lags: this.#lagSeconds.counts,
    };
  }

  /** Publishes the counts since the start, and the polls that are held at the moment. */
  publish(metrics: Metrics): void {
    const total = (name: string, help: string, read: () => number) =>
      metrics.tally({ name: `carillon_events_${name}_total`, help, labels: [] }, () => [
        { labels: {}, value: read() },
      ]);
    metrics.gauge(
      {
        name: 'carillon_events_held_polls',
        help: 'Polls that wait for events in this gateway.',
        labels: [],
      },
      () => [{ labels: {}, value: this.held.count }],
    );
    metrics.tally(
      {
        name: 'carillon_events_polls_total',
        help: 'Answered polls by kind: with events, empty or with a heartbeat.',
        labels: ['kind'],
      },
      () => Object.entries(this.#answers).map(([kind, value]) => ({ labels: { kind }, value })),
    );
    total('delivered', 'Events in answers; an event counts for each queue.', () => this.#events);
    total('read_from_log', 'Polls of queues behind the window.', () => this.#readFromLog);
    total(
      'overflowed_queues',
      'Queues deleted with too many or too old events.',
      () => this.#overflows,
    );
    metrics.distribution(
      {
        name: 'carillon_events_lag_seconds',
        help: 'From the storage of an event to the answers of the held polls.',
      },
      this.#lagSeconds,
    );
  }
}
