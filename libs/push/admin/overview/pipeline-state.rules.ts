import { type Platform, platformQueue, platforms, type PushLane, pushLanes } from '#push/jobs';
import { groupBy } from '#platform/core';
import type { PipelineReport, QueueStatus } from '#push/observability';

type Worker = PipelineReport['workers'][number];
type Breaker = Worker['breakers'][number];
type PruneAlarm = Worker['pruneAlarms'][number];

/** The state of a credential's circuit breaker over all workers. */
export interface CredentialState extends Breaker {
  /** The number of workers whose breaker is in this state. */
  readonly workers: number;
  /** The number of workers that have the credential. */
  readonly ofWorkers: number;
}

/** The state of a platform, for its card on the ops page. */
interface PlatformState {
  readonly isPaused: boolean;
  /** Whether each of its queues with jobs has a worker that is not silent; false without any worker. */
  readonly hasWorkers: boolean;
  /** Whether no breaker is closed, though there are some. */
  readonly isStopped: boolean;
  /** Whether a breaker is not closed. */
  readonly isPartlyStopped: boolean;
  readonly waiting: number;
  readonly delayed: number;
  readonly active: number;
  readonly oldestWaitingMs: number | null;
}

/** A worker reports every two seconds. */
const SILENCE_MS = 5000;

/** Whether the last report of a worker is so old that it may have died. `now` is in UNIX milliseconds. */
export const isSilent = ({ reportedAt }: Pick<Worker, 'reportedAt'>, now: number): boolean =>
  now - reportedAt > SILENCE_MS;

const WORST_FIRST: readonly Breaker['state'][] = ['open', 'half_open', 'closed'];

/** Every credential once, with its worst state of all workers; the worst first. */
export function credentialsOf(workers: readonly Worker[]): CredentialState[] {
  const byKey = groupBy(
    workers.flatMap(({ breakers }) => breakers),
    ({ key }) => key,
  );
  return [...byKey.values()]
    .flatMap((breakers) => {
      const [worst] = breakers.toSorted(byState);
      if (worst === undefined) return [];
      const alike = breakers.filter(({ state }) => state === worst.state);
      return [{ ...worst, workers: alike.length, ofWorkers: breakers.length }];
    })
    .toSorted((one, other) => byState(one, other) || (one.key < other.key ? -1 : 1));
}

const byState = (one: Breaker, other: Breaker): number =>
  WORST_FIRST.indexOf(one.state) - WORST_FIRST.indexOf(other.state);

/** Every alarm once, from the worker that raised it first. */
export function pruneAlarmsOf(workers: readonly Worker[]): PruneAlarm[] {
  const byKey = groupBy(
    workers.flatMap(({ pruneAlarms }) => pruneAlarms),
    ({ key }) => key,
  );
  return [...byKey.values()].flatMap((alarms) =>
    alarms.toSorted((one, other) => one.since - other.since).slice(0, 1),
  );
}

/** The states of both platforms; `now` is in UNIX milliseconds. */
export const platformStatesOf = (
  pipeline: PipelineReport,
  now: number,
): Record<Platform, PlatformState> => {
  const workers = pipeline.workers.filter((worker) => !isSilent(worker, now));
  const credentials = credentialsOf(pipeline.workers);
  // One entry for each platform.
  return Object.fromEntries(
    platforms.map((platform) => [
      platform,
      platformStateOf({ ...pipeline, workers }, platform, credentials),
    ]),
  ) as Record<Platform, PlatformState>;
};

/** An autoscaler may stop the last worker of such a queue, and an unused platform has none. */
const isIdle = ({ waiting, delayed, active }: QueueStatus): boolean =>
  waiting + delayed + active === 0;

function platformStateOf(
  { queues, workers }: PipelineReport,
  platform: Platform,
  credentials: readonly CredentialState[],
): PlatformState {
  const names = new Set(pushLanes.map((lane: PushLane) => platformQueue(platform, lane)));
  const own = queues.filter(({ name }) => names.has(name));
  const ofPlatform = credentials.filter((credential) => credential.platform === platform);
  const ages = own.flatMap(({ oldestWaitingMs }) => oldestWaitingMs ?? []);
  const isServed = ({ name }: QueueStatus) =>
    workers.some((worker) => worker.queues.includes(name));
  const sumOf = (count: 'waiting' | 'delayed' | 'active') =>
    own.reduce((sum, queue) => sum + queue[count], 0);
  return {
    isPaused: own.some(({ isPaused }) => isPaused),
    hasWorkers: workers.length > 0 && own.every((queue) => isIdle(queue) || isServed(queue)),
    isStopped: ofPlatform.length > 0 && ofPlatform.every(({ state }) => state !== 'closed'),
    isPartlyStopped: ofPlatform.some(({ state }) => state !== 'closed'),
    waiting: sumOf('waiting'),
    delayed: sumOf('delayed'),
    active: sumOf('active'),
    oldestWaitingMs: ages.length === 0 ? null : Math.max(...ages),
  };
}
