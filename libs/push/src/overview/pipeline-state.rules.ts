import { type Platform, type PushLane, platformQueue, platforms, pushLanes } from '#contracts';
import { groupBy } from '#core';
import type { PushOverviewReport } from '../observe/push-overview.js';

type Worker = PushOverviewReport['workers'][number];
type Gate = Worker['gates'][number];
type PruneAlarm = Worker['pruneAlarms'][number];

/** How the way to a provider with one credential stands, over all workers. */
export interface Credential extends Gate {
  /** How many workers say so, and how many have the credential. */
  readonly workers: number;
  readonly ofWorkers: number;
}

/** How a platform stands; what a platform's sign on the page is drawn from. */
export interface PlatformState {
  readonly isPaused: boolean;
  /** Whether some worker, not a silent one, takes from each of its queues. */
  readonly hasWorkers: boolean;
  /** Whether no credential of it is open, though there are some. */
  readonly isShut: boolean;
  /** Whether one is not open. */
  readonly isPartlyShut: boolean;
  readonly waiting: number;
  readonly delayed: number;
  readonly active: number;
  readonly oldestWaitingMs: number | null;
}

/** A worker speaks every two seconds. */
const SILENCE_MS = 5000;

/** Whether a worker has not been heard of for so long that it may be gone. `now` is in UNIX milliseconds. */
export const isSilent = ({ reportedAt }: Pick<Worker, 'reportedAt'>, now: number): boolean =>
  now - reportedAt > SILENCE_MS;

const WORST_FIRST: readonly Gate['state'][] = ['shut', 'probing', 'open'];

/** Every credential once, as the worst off of its workers has it; the worst first. */
export function credentialsOf(workers: readonly Worker[]): Credential[] {
  const byKey = groupBy(
    workers.flatMap(({ gates }) => gates),
    ({ key }) => key,
  );
  return [...byKey.values()]
    .flatMap((gates) => {
      const [worst] = gates.toSorted(byState);
      if (worst === undefined) return [];
      const alike = gates.filter(({ state }) => state === worst.state);
      return [{ ...worst, workers: alike.length, ofWorkers: gates.length }];
    })
    .toSorted((one, other) => byState(one, other) || (one.key < other.key ? -1 : 1));
}

const byState = (one: Gate, other: Gate): number =>
  WORST_FIRST.indexOf(one.state) - WORST_FIRST.indexOf(other.state);

/** Every alarm once, as the worker tells it that raised it first. */
export function pruneAlarmsOf(workers: readonly Worker[]): PruneAlarm[] {
  const byKey = groupBy(
    workers.flatMap(({ pruneAlarms }) => pruneAlarms),
    ({ key }) => key,
  );
  return [...byKey.values()].flatMap((alarms) =>
    alarms.toSorted((one, other) => one.since - other.since).slice(0, 1),
  );
}

/** How both platforms stand; `now` is in UNIX milliseconds. */
export const platformStatesOf = (
  pipeline: PushOverviewReport,
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

function platformStateOf(
  { queues, workers }: PushOverviewReport,
  platform: Platform,
  credentials: readonly Credential[],
): PlatformState {
  const names = pushLanes.map((lane: PushLane) => platformQueue(platform, lane));
  const own = queues.filter(({ name }) => names.includes(name));
  const ofPlatform = credentials.filter((credential) => credential.platform === platform);
  const ages = own.flatMap(({ oldestWaitingMs }) => oldestWaitingMs ?? []);
  const sumOf = (count: 'waiting' | 'delayed' | 'active') =>
    own.reduce((sum, queue) => sum + queue[count], 0);
  return {
    isPaused: own.some(({ isPaused }) => isPaused),
    hasWorkers: names.every((name) => workers.some((worker) => worker.queues.includes(name))),
    isShut: ofPlatform.length > 0 && ofPlatform.every(({ state }) => state !== 'open'),
    isPartlyShut: ofPlatform.some(({ state }) => state !== 'open'),
    waiting: sumOf('waiting'),
    delayed: sumOf('delayed'),
    active: sumOf('active'),
    oldestWaitingMs: ages.length === 0 ? null : Math.max(...ages),
  };
}
