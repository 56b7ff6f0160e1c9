import { Injectable, Optional } from '@nestjs/common';
import { type PushJobs, platforms, queueNames } from '#push/jobs';
import { cachedCall, type Clock, systemClock } from '#platform/core';
import { JobQueues } from '#platform/queue';
import { Metrics } from '#platform/telemetry';
import { readQueues } from './pipeline-reader.js';
import { PushActivityStore } from './push-activity.store.js';
import { type PendingDeliveries, PushBacklog } from './push-backlog.js';

/** Exports the queues, the ledger and the number of workers to Prometheus; the same from every process. */
@Injectable()
export class PipelineMetrics {
  constructor(
    metrics: Metrics,
    queues: JobQueues<PushJobs>,
    backlog: PushBacklog,
    activity: PushActivityStore,
    @Optional() clock: Clock = systemClock,
  ) {
    observeQueues(metrics, queues);
    observeLedger(metrics, backlog);
    observeStored(metrics, backlog);
    observeAccounts(metrics, backlog);
    observeWorkers(metrics, activity, clock);
  }
}

function observeQueues(metrics: Metrics, queues: JobQueues<PushJobs>): void {
  const read = cachedCall({ forMs: 1000, costFactor: 10 }, () => readQueues(queues));
  metrics.gauge(
    {
      name: 'carillon_push_queue_jobs',
      help: 'Jobs in a queue, by state; the same from every process.',
      labels: ['queue', 'state'],
    },
    async () =>
      (await read()).flatMap(({ name: queue, waiting, delayed, active }) =>
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
      (await read()).map(({ name: queue, oldestWaitingMs }) => ({
        labels: { queue },
        value: (oldestWaitingMs ?? 0) / 1000,
      })),
  );
  metrics.gauge(
    {
      name: 'carillon_push_queue_paused',
      help: '1 while an operator has paused a queue.',
      labels: ['queue'],
    },
    async () =>
      (await read()).map(({ name: queue, isPaused }) => ({
        labels: { queue },
        value: isPaused ? 1 : 0,
      })),
  );
}

function observeLedger(metrics: Metrics, backlog: PushBacklog): void {
  const gauge = async (value: (row: PendingDeliveries) => number) => {
    const rows = new Map((await backlog.pending()).map((row) => [row.platform, row]));
    return platforms.map((platform) => {
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
    () => gauge((row) => row.count),
  );
  metrics.gauge(
    {
      name: 'carillon_push_pending_oldest_seconds',
      help: 'How long ago the oldest of them was accepted; 0 when there are none.',
      labels: ['platform'],
    },
    () => gauge((row) => row.oldestMs / 1000),
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
      help: 'Logouts, and messages with many recipients, that wait for a worker; the same from every process.',
      labels: [],
    },
    async () => [{ labels: {}, value: (await backlog.stored()).outbox.rows }],
  );
  metrics.gauge(
    {
      name: 'carillon_outbox_oldest_seconds',
      help: 'How long ago the oldest of them was written or made progress; 0 when there are none.',
      labels: [],
    },
    async () => [{ labels: {}, value: (await backlog.stored()).outbox.oldestMs / 1000 }],
  );
}

/** Phones, and the accounts that keep them quiet. */
function observeAccounts(metrics: Metrics, backlog: PushBacklog): void {
  metrics.gauge(
    {
      name: 'carillon_push_phones',
      help: 'Phones that notifications are sent to; stale after 60 days without a registration.',
      labels: ['platform', 'state'],
    },
    async () =>
      (await backlog.phones()).flatMap(({ platform, active, stale }) => [
        { labels: { platform, state: 'active' }, value: active },
        { labels: { platform, state: 'stale' }, value: stale },
      ]),
  );
  metrics.gauge(
    {
      name: 'carillon_push_fcm_targets',
      help: 'Installation ids (fid) and registration tokens of Google; unknown until the next registration.',
      labels: ['target'],
    },
    async () =>
      Object.entries(await backlog.fcmTargets()).map(([target, value]) => ({
        labels: { target },
        value,
      })),
  );
  metrics.gauge(
    {
      name: 'carillon_push_holding_accounts',
      help: 'Accounts whose quiet hours, snooze or delay hold messages back, by the cause that ends first, or with a reminder to come.',
      labels: ['cause'],
    },
    async () =>
      Object.entries(await backlog.holdingAccounts()).map(([cause, value]) => ({
        labels: { cause },
        value,
      })),
  );
}

/** Exports the number of workers for each queue, also when no worker is left to be scraped. */
export function observeWorkers(metrics: Metrics, activity: PushActivityStore, clock: Clock): void {
  metrics.gauge(
    {
      name: 'carillon_push_queue_workers',
      help: 'Workers of the last 15 seconds that take from a queue; the same from every process.',
      labels: ['queue'],
    },
    async () => {
      const workers = await activity.workers.recent(clock());
      return queueNames.map((queue) => ({
        labels: { queue },
        value: workers.filter(({ queues }) => queues.includes(queue)).length,
      }));
    },
  );
}
