import type {
  PendingDeliveries,
  PipelineView,
  PushOverviewReport,
  QueueOverview,
  Trouble,
  WorkerReport,
} from '#push';
import type { Answer } from '../command-world.js';
import { tableOf } from '../output/table.js';
import { durationText, timeJson, timeText } from '../output/times.rules.js';

/** How far back outcomes are summed up. */
const RECENT_MS = 5 * 60_000;

/** A way to a provider in words that need no circuit: what is `open` to some is stopped to others. */
const stateWords = { open: 'sending', probing: 'trying', shut: 'stopped' } as const;

/** How the pipeline stands. */
export function statusAnswer(view: PipelineView): Answer {
  const { at, pipeline, backlog, letters, troubles } = view;
  const recent = pipeline && recentOutcomes(pipeline, at);
  const isHealthy = troubles.every(({ severity }) => severity !== 'alarm');
  return {
    isFailure: !isHealthy,
    json: {
      is_healthy: isHealthy,
      troubles: troubles.map(troubleJson),
      queues: pipeline?.queues.map(queueJson) ?? null,
      workers: pipeline?.workers.map(workerJson) ?? null,
      pending: backlog?.map((row) => pendingJson(row, at)) ?? null,
      dead_letters: letters?.reduce((sum, reason) => sum + reason.letters, 0) ?? null,
      outcomes_of_5_minutes: recent,
    },
    text: [
      ...troublesText(troubles),
      ...(pipeline === null ? [] : [...pipelineText(pipeline, at), '']),
      ...(backlog === null ? [] : [`Not sent yet: ${backlogText(backlog)}`]),
      ...(recent === null ? [] : [`Last five minutes: ${outcomesText(recent)}`]),
    ].join('\n'),
  };
}

const troubleJson = ({ severity, platform, text, advice, since, until }: Trouble) => ({
  severity,
  platform,
  text,
  advice,
  since: dateJson(since),
  until: dateJson(until),
});

const queueJson = (queue: QueueOverview) => ({
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
  credentials: worker.gates.map(({ key, platform, state, cause, reason, since, reopensAt }) => ({
    key,
    platform,
    state: stateWords[state],
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
function recentOutcomes({ outcomes }: PushOverviewReport, now: number): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { at, counts } of outcomes) {
    if (at < now - RECENT_MS) continue;
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}

const troublesText = (troubles: readonly Trouble[]): string[] =>
  troubles.length === 0 ? ['All is well.', ''] : troubles.flatMap(troubleText);

/** An alarm with an exclamation mark, a notice with a dash; what to do about it beneath. */
function troubleText({ severity, text, advice, since, until }: Trouble): string[] {
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

const pipelineText = ({ queues, workers }: PushOverviewReport, now: number): string[] => [
  'Queues',
  queueTable(queues),
  '',
  'Workers',
  workers.length === 0 ? 'none' : workerTable(workers, now),
  ...credentialsText(workers),
];

const queueTable = (queues: readonly QueueOverview[]): string =>
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
    worker.gates.map(({ key, state, reason, since, reopensAt }) => [
      key,
      `${worker.host}:${worker.pid}`,
      stateWords[state],
      reason,
      since === null ? null : timeText(new Date(since)),
      reopensAt === null ? null : timeText(new Date(reopensAt)),
    ]),
  );
  if (rows.length === 0) return [];
  return [
    '',
    'Credentials',
    tableOf(['credential', 'worker', 'state', 'reason', 'since (UTC)', 'tries again (UTC)'], rows),
  ];
}

function backlogText(backlog: readonly PendingDeliveries[]): string {
  const parts = backlog.map(({ platform, count, oldestMs, retried }) => {
    const again = retried === null ? '' : `, ${retried.count} to be repeated: ${retried.reason}`;
    return `${count} ${platform} (the oldest for ${durationText(oldestMs)}${again})`;
  });
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}

const outcomesText = (counts: Readonly<Record<string, number>>): string => {
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name.replace(':', ' ')}`);
  return parts.length === 0 ? 'nothing' : parts.join(', ');
};
