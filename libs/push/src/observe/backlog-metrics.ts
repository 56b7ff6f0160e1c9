import { Injectable } from '@nestjs/common';
import { type Platform, platforms, queueNames } from '#contracts';
import { JobQueues } from '#queue';
import { Metrics } from '#telemetry';
import type { PendingDeliveries } from './push-backlog.repository.js';
import { PushBacklog } from './push-backlog.js';
import { remembered } from './remembered.js';

/** Tells Prometheus how far behind the pipeline is: what the queues hold, and what the ledger does. */
@Injectable()
export class BacklogMetrics {
  constructor(metrics: Metrics, queues: JobQueues, backlog: PushBacklog) {
    observeQueues(metrics, queues);
    observeLedger(metrics, backlog);
    observeStored(metrics, backlog);
  }
}

function observeQueues(metrics: Metrics, queues: JobQueues): void {
  const look = remembered({ forMs: 1000, timesItsCost: 10 }, () =>
    Promise.all(
      queueNames.map(async (queue) => {
        const [counts, isPaused, oldestMs] = await Promise.all([
          queues.counts(queue),
          queues.isPaused(queue),
          queues.oldestWaitingMs(queue),
        ]);
        return { queue, counts, isPaused, oldestMs };
      }),
    ),
  );
  metrics.gauge(
    {
      name: 'carillon_push_queue_jobs',
      help: 'Jobs in a queue, by state; the same from every process.',
      labels: ['queue', 'state'],
    },
    async () =>
      (await look()).flatMap(({ queue, counts: { waiting, delayed, active } }) =>
        Object.entries({ waiting, delayed, active }).map(([state, value]) => ({
          labels: { queue, state },
          value,
        })),
      ),
  );
  metrics.gauge(
    {
      name: 'carillon_push_queue_oldest_seconds',
      help: 'How long the oldest waiting job of a queue has waited; 0 when none waits.',
      labels: ['queue'],
    },
    async () =>
      (await look()).map(({ queue, oldestMs }) => ({
        labels: { queue },
        value: (oldestMs ?? 0) / 1000,
      })),
  );
  metrics.gauge(
    {
      name: 'carillon_push_queue_paused',
      help: '1 while an operator has paused a queue.',
      labels: ['queue'],
    },
    async () =>
      (await look()).map(({ queue, isPaused }) => ({
        labels: { queue },
        value: isPaused ? 1 : 0,
      })),
  );
}

function observeLedger(metrics: Metrics, backlog: PushBacklog): void {
  const look = async (value: (row: PendingDeliveries) => number) => {
    const rows = new Map((await backlog.execute()).map((row) => [row.platform, row]));
    return platforms.map((platform: Platform) => {
      const row = rows.get(platform);
      return { labels: { platform }, value: row === undefined ? 0 : value(row) };
    });
  };
  metrics.gauge(
    {
      name: 'carillon_push_pending_deliveries',
      help: 'Deliveries that the ledger says are still to be sent; the same from every process.',
      labels: ['platform'],
    },
    () => look((row) => row.count),
  );
  metrics.gauge(
    {
      name: 'carillon_push_pending_oldest_seconds',
      help: 'How long ago the oldest of them was accepted; 0 when there are none.',
      labels: ['platform'],
    },
    () => look((row) => row.oldestMs / 1000),
  );
}

function observeStored(metrics: Metrics, backlog: PushBacklog): void {
  metrics.gauge(
    {
      name: 'carillon_push_dead_letters',
      help: 'Dead letters that are stored; the same from every process.',
      labels: ['platform'],
    },
    async () => {
      const { deadLetters } = await backlog.stored();
      const counts = new Map(deadLetters.map(({ platform, letters }) => [platform, letters]));
      return platforms.map((platform) => ({
        labels: { platform },
        value: counts.get(platform) ?? 0,
      }));
    },
  );
  metrics.gauge(
    {
      name: 'carillon_outbox_rows',
      help: 'Promises in the outbox that are still to be carried out; the same from every process.',
      labels: [],
    },
    async () => [{ labels: {}, value: (await backlog.stored()).outbox.rows }],
  );
  metrics.gauge(
    {
      name: 'carillon_outbox_oldest_seconds',
      help: 'How long ago the oldest of them was made; 0 when there are none.',
      labels: [],
    },
    async () => [{ labels: {}, value: (await backlog.stored()).outbox.oldestMs / 1000 }],
  );
}
