import type { PipelineStatus, Alert } from '#push/admin';
import type {
  PendingDeliveries,
  PipelineReport,
  QueueStatus,
  WorkerReport,
} from '#push/observability';
import type { Answer } from '../command-context.js';
import { tableOf } from '../output/table.js';
import { durationText, timeJson, timeText } from '../output/times.rules.js';

/** The period of the summed outcomes. */
const RECENT_MS = 5 * 60_000;

/** The output for the state of the push pipeline. */
export function statusAnswer(view: PipelineStatus): Answer {
  const { at, pipeline, backlog, letters, alerts } = view;
  const recent = pipeline && recentOutcomes(pipeline, at);
  const isHealthy = alerts.every(({ severity }) => severity !== 'alarm');
  return {
    isFailure: !isHealthy,
    json: {
      is_healthy: isHealthy,
      alerts: alerts.map(alertJson),
      queues: pipeline?.queues.map(queueJson) ?? null,
      workers: pipeline?.workers.map(workerJson) ?? null,
      pending: backlog?.map((row) => pendingJson(row, at)) ?? null,
      dead_letters: letters?.reduce((sum, reason) => sum + reason.letters, 0) ?? null,
      outcomes_of_5_minutes: recent,
    },
    text: [
      ...alertsText(alerts),
      ...(pipeline === null ? [] : [...pipelineText(pipeline, at), '']),
      ...(backlog === null ? [] : [`Not sent yet: ${backlogText(backlog)}`]),
      ...(recent === null ? [] : [`Last five minutes: ${outcomesText(recent)}`]),
    ].join('\n'),
  };
}

const alertJson = ({ name, severity, platform, text, advice, since, until }: Alert) => ({
  name,
  severity,
  platform,
  text,
  advice,
  since: dateJson(since),
  until: dateJson(until),
});

const queueJson = (queue: QueueStatus) => ({
  name: queue.name,
  is_paused: queue.isPaused,
  waiting: queue.waiting,
  active: queue.active,
  delayed: queue.delayed,
  oldest_waiting_ms: queue.oldestWaitingMs,
});

const workerJson = (worker: WorkerReport) => ({
  id: worker.id,
  host: worker.host,
  pid: worker.pid,
  version: worker.version,
  queues: [...worker.queues],
  started_at: dateJson(worker.startedAt),
  reported_at: dateJson(worker.reportedAt),
  in_flight: worker.inFlight,
  credentials: worker.breakers.map(({ key, platform, state, cause, reason, since, reopensAt }) => ({
    key,
    platform,
    breaker: state,
    cause,
    reason,
    since: dateJson(since),
    tries_again_at: dateJson(reopensAt),
  })),
  prune_alarms: worker.pruneAlarms.map(({ key, platform, since, dead, answers }) => ({
    key,
    platform,
    since: dateJson(since),
    dead,
    answers,
  })),
});

const pendingJson = ({ platform, count, oldestMs, retried }: PendingDeliveries, now: number) => ({
  platform,
  deliveries: count,
  oldest_accepted_at: dateJson(now - oldestMs),
  to_be_repeated: retried?.count ?? 0,
  reason: retried?.reason ?? null,
});

const dateJson = (at: number | null) => timeJson(at === null ? null : new Date(at));

/** The counts of the last five minutes, by `<platform>:<outcome>`. */
function recentOutcomes({ outcomes }: PipelineReport, now: number): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { at, counts } of outcomes) {
    if (at < now - RECENT_MS) continue;
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}

const alertsText = (alerts: readonly Alert[]): string[] =>
  alerts.length === 0 ? ['All is well.', ''] : alerts.flatMap(alertText);

/** An alert: an exclamation mark for an alarm or a dash for a notice, and the advice below it. */
function alertText({ severity, text, advice, since, until }: Alert): string[] {
  const times = [
    ...(since === null ? [] : [`since ${timeText(new Date(since))} UTC`]),
    ...(until === null ? [] : [`tries again at ${timeText(new Date(until))} UTC`]),
  ].join(', ');
  return [
    `${severity === 'alarm' ? '!' : '-'} ${text}`,
    ...(times === '' ? [] : [`  ${times}`]),
    `  ${advice}`,
    '',
  ];
}

const pipelineText = ({ queues, workers }: PipelineReport, now: number): string[] => [
  'Queues',
  queueTable(queues),
  '',
  'Workers',
  workers.length === 0 ? 'none' : workerTable(workers, now),
  ...credentialsText(workers),
];

const queueTable = (queues: readonly QueueStatus[]): string =>
  tableOf(
    ['queue', 'paused', 'waiting', 'active', 'delayed', 'oldest waits'],
    queues.map((queue) => [
      queue.name,
      queue.isPaused,
      queue.waiting,
      queue.active,
      queue.delayed,
      durationText(queue.oldestWaitingMs),
    ]),
  );

const workerTable = (workers: readonly WorkerReport[], now: number): string =>
  tableOf(
    ['worker', 'version', 'up for', 'in flight', 'queues'],
    workers.map((worker) => [
      `${worker.host}:${worker.pid}`,
      worker.version,
      durationText(now - worker.startedAt),
      worker.inFlight,
      worker.queues.map((queue) => queue.replace('push-', '')).join(', '),
    ]),
  );

function credentialsText(workers: readonly WorkerReport[]): string[] {
  const rows = workers.flatMap((worker) =>
    worker.breakers.map(({ key, state, reason, since, reopensAt }) => [
      key,
      `${worker.host}:${worker.pid}`,
      state.replace('_', '-'),
      reason,
      since === null ? null : timeText(new Date(since)),
      reopensAt === null ? null : timeText(new Date(reopensAt)),
    ]),
  );
  if (rows.length === 0) return [];
  return [
    '',
    'Credentials',
    tableOf(
      ['credential', 'worker', 'breaker', 'reason', 'since (UTC)', 'tries again (UTC)'],
      rows,
    ),
  ];
}

function backlogText(backlog: readonly PendingDeliveries[]): string {
  const parts = backlog.map(({ platform, count, oldestMs, retried }) => {
    const again = retried === null ? '' : `, ${retried.count} to be retried: ${retried.reason}`;
    return `${count} ${platform} (the oldest for ${durationText(oldestMs)}${again})`;
  });
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

const outcomesText = (counts: Readonly<Record<string, number>>): string => {
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name.replace(':', ' ')}`);
  return parts.length === 0 ? 'nothing' : parts.join(', ');
};
