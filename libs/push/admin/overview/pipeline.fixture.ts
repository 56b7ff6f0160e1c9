import { queueNames } from '#push/jobs';
import type { BreakerReport, PipelineReport, QueueStatus, WorkerReport } from '#push/observability';

/** A closed breaker with the given changes. */
export const aBreaker = (traits: Partial<BreakerReport> = {}): BreakerReport => ({
  key: 'fcm:chat',
  platform: 'fcm',
  state: 'closed',
  cause: null,
  reason: null,
  since: null,
  reopensAt: null,
  ...traits,
});

/** A worker of all queues whose last report was at the time 0, with the given changes. */
export const aWorker = (traits: Partial<WorkerReport> = {}): WorkerReport => ({
  id: 'w1',
  host: 'push-1',
  pid: 17,
  version: '0.1.0',
  queues: [...queueNames],
  startedAt: 0,
  reportedAt: 0,
  inFlight: 0,
  oldestInFlightAt: { apns: null, fcm: null },
  breakers: [],
  pruneAlarms: [],
  ...traits,
});

/** A pipeline with these workers and idle queues, with the given changes of queues. */
export const aPipeline = (
  workers: readonly WorkerReport[],
  queues: readonly Partial<QueueStatus>[] = [],
  outcomes: PipelineReport['outcomes'] = [],
): PipelineReport => ({
  workers,
  outcomes,
  queues: queueNames.map((name) => ({
    name,
    waiting: 0,
    delayed: 0,
    active: 0,
    isPaused: false,
    oldestWaitingMs: null,
    ...queues.find((queue) => queue.name === name),
  })),
});
