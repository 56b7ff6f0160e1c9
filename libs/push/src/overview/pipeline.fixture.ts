import { queueNames } from '#contracts';
import type { GateStatus } from '../observe/gate-statuses.js';
import type { PushOverviewReport, QueueOverview } from '../observe/push-overview.js';
import type { WorkerReport } from '../observe/worker-report.js';

/** A credential whose way is open, but for what a test says. */
export const aGate = (traits: Partial<GateStatus> = {}): GateStatus => ({
  key: 'fcm:chat',
  platform: 'fcm',
  state: 'open',
  cause: null,
  reason: null,
  since: null,
  reopensAt: null,
  ...traits,
});

/** A worker that takes from every queue and has spoken at the time 0, but for what a test says. */
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
  gates: [],
  pruneAlarms: [],
  ...traits,
});

/** A pipeline with these workers; queues are idle, but for what a test says of some. */
export const aPipeline = (
  workers: readonly WorkerReport[],
  queues: readonly Partial<QueueOverview>[] = [],
  outcomes: PushOverviewReport['outcomes'] = [],
): PushOverviewReport => ({
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
