import type { PushOverviewReport, QueueOverview, WorkerReport } from '#push';
import type { Answer } from '../command-world.js';
import { tableOf } from '../output/table.js';
import { durationText, timeJson, timeText } from '../output/times.rules.js';

/** How far back outcomes are summed up. */
const RECENT_MS = 5 * 60_000;

/** How the pipeline stands at a moment, in UNIX milliseconds. */
export function statusAnswer(report: PushOverviewReport, now: number): Answer {
  const recent = recentOutcomes(report, now);
  return {
    json: {
      queues: report.queues.map(queueJson),
      workers: report.workers.map(workerJson),
      outcomes_of_5_minutes: recent,
      is_healthy: troublesOf(report).length === 0,
      troubles: troublesOf(report),
    },
    text: [
      ...troublesText(report),
      'Queues',
      queueTable(report.queues),
      '',
      'Workers',
      report.workers.length === 0 ? 'none' : workerTable(report.workers, now),
      ...gatesText(report.workers),
      '',
      `Last five minutes: ${outcomesText(recent)}`,
    ].join('\n'),
  };
}

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
  breakers: worker.gates.map(({ key, platform, state, cause, reopensAt }) => ({
    key,
    platform,
    state,
    cause,
    reopens_at: reopensAt === null ? null : dateJson(reopensAt),
  })),
  prune_alarms: worker.pruneAlarms.map(({ key, platform, since, dead, answers }) => ({
    key,
    platform,
    since: dateJson(since),
    dead,
    answers,
  })),
});

const dateJson = (at: number) => timeJson(new Date(at));

/** The counts of the last five minutes, by `<platform>:<outcome>`. */
function recentOutcomes({ outcomes }: PushOverviewReport, now: number): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { at, counts } of outcomes) {
    if (at < now - RECENT_MS) continue;
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}

/** What an operator should see to, worst first. */
function troublesOf({ workers, queues }: PushOverviewReport): string[] {
  const unserved = queues.filter(
    ({ name }) => !workers.some((worker) => worker.queues.includes(name)),
  );
  const alarms = workers.flatMap(({ pruneAlarms }) => pruneAlarms);
  const shut = workers.flatMap(({ gates }) => gates).filter(({ state }) => state !== 'open');
  return [
    ...(workers.length === 0
      ? ['no worker runs']
      : unserved.map(({ name }) => `no worker consumes ${name}`)),
    ...distinct(shut.map(({ key, cause }) => `${key} is shut: ${cause}`)),
    ...distinct(alarms.map(({ key }) => `${key} calls too many tokens dead: none is removed`)),
    ...queues.filter(({ isPaused }) => isPaused).map(({ name }) => `${name} is paused`),
  ];
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)];

function troublesText(report: PushOverviewReport): string[] {
  const troubles = troublesOf(report);
  return troubles.length === 0 ? ['All is well.', ''] : [...troubles.map((one) => `! ${one}`), ''];
}

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

function gatesText(workers: readonly WorkerReport[]): string[] {
  const rows = workers.flatMap((worker) =>
    worker.gates.map(({ key, state, cause, reopensAt }) => [
      key,
      `${worker.host}:${worker.pid}`,
      state,
      cause,
      reopensAt === null ? null : timeText(new Date(reopensAt)),
    ]),
  );
  if (rows.length === 0) return [];
  return [
    '',
    'Breakers',
    tableOf(['credential', 'worker', 'state', 'cause', 'tries again (UTC)'], rows),
  ];
}

const outcomesText = (counts: Readonly<Record<string, number>>): string => {
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name.replace(':', ' ')}`);
  return parts.length === 0 ? 'nothing' : parts.join(', ');
};
