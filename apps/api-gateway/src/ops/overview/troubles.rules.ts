import { type Platform, platforms, type QueueName } from '#contracts';
import type { DeadLetterCount, PushOverviewReport } from '#push';
import { credentialsOf, platformStatesOf, pruneAlarmsOf } from './pipeline-state.rules.js';

/** Something that an operator ought to know of, and what to do about it. */
export interface Trouble {
  /** An `alarm` keeps notifications from phones; a `notice` does not, or was meant. */
  readonly severity: 'alarm' | 'notice';
  readonly text: string;
  readonly advice: string;
  /** UNIX milliseconds; null where it is not known. */
  readonly since: number | null;
  /** When it is tried again by itself, in UNIX milliseconds; null where it is not. */
  readonly until: number | null;
}

/** Somebody waits for what is urgent. */
const LONG_WAIT_MS = 30_000;
/** A fan-out may take its time. */
const LONG_BULK_WAIT_MS = 600_000;
/** A worker speaks every two seconds. */
const SILENCE_MS = 7000;

const NAMES: Readonly<Record<Platform, string>> = { apns: 'Apple (APNs)', fcm: 'Google (FCM)' };

const trouble = (
  severity: Trouble['severity'],
  text: string,
  advice: string,
  times: { since?: number; until?: number | null } = {},
): Trouble => ({ severity, text, advice, since: times.since ?? null, until: times.until ?? null });

/**
 * What is wrong with the pipeline, alarms first. A part is null when its store is away. `now` is in UNIX
 * milliseconds.
 */
export function troublesOf(
  pipeline: PushOverviewReport | null,
  letters: readonly DeadLetterCount[] | null,
  now: number,
): Trouble[] {
  const troubles = [
    ...awayTroubles(pipeline, letters),
    ...(pipeline === null ? [] : pipelineTroubles(pipeline, now)),
    ...letterTroubles(letters ?? []),
  ];
  return troubles.toSorted(
    (one, other) => Number(other.severity === 'alarm') - Number(one.severity === 'alarm'),
  );
}

function awayTroubles(pipeline: unknown, letters: unknown): Trouble[] {
  const redis = trouble(
    'alarm',
    'Redis does not answer.',
    'Notifications are accepted and wait in PostgreSQL. Bring Redis back: a sweep makes the jobs anew.',
  );
  const postgres = trouble(
    'alarm',
    'PostgreSQL does not answer.',
    'Nothing is accepted and nothing is sent until it is back.',
  );
  return [...(pipeline === null ? [redis] : []), ...(letters === null ? [postgres] : [])];
}

function pipelineTroubles(pipeline: PushOverviewReport, now: number): Trouble[] {
  return [
    ...platformTroubles(pipeline),
    ...credentialTroubles(pipeline),
    ...waitTroubles(pipeline),
    ...silentWorkers(pipeline, now),
  ];
}

function platformTroubles(pipeline: PushOverviewReport): Trouble[] {
  const states = platformStatesOf(pipeline);
  return platforms.flatMap((platform) => {
    const { isPaused, hasWorkers } = states[platform];
    const paused = trouble(
      'notice',
      `${NAMES[platform]} is paused.`,
      'Notifications wait, each for its time to live at the most. Resume it below.',
    );
    const unworked = trouble(
      'alarm',
      `No worker sends to ${NAMES[platform]}.`,
      'Start a push-worker that takes from its queues.',
    );
    return [...(hasWorkers ? [] : [unworked]), ...(isPaused ? [paused] : [])];
  });
}

function credentialTroubles({ workers }: PushOverviewReport): Trouble[] {
  const shut = credentialsOf(workers)
    .filter(({ state }) => state !== 'open')
    .map(({ key, platform, cause, reopensAt }) =>
      trouble(
        'alarm',
        `${NAMES[platform]} is not sent to with ${key}: ${cause ?? 'no reason given'}.`,
        reopensAt === null
          ? 'Correct the configuration and restart its workers. Nothing is lost meanwhile.'
          : 'Nothing is lost: jobs wait and no attempt is used up. It is tried again by itself.',
        { until: reopensAt },
      ),
    );
  const alarms = pruneAlarmsOf(workers).map(({ key, platform, since, dead, answers }) =>
    trouble(
      'alarm',
      `${NAMES[platform]} calls ${dead} of ${answers} tokens of ${key} dead: none is removed.`,
      'A wrong topic or project looks like this. Check what the app and the credential belong to.',
      { since },
    ),
  );
  return [...shut, ...alarms];
}

function waitTroubles({ queues }: PushOverviewReport): Trouble[] {
  return queues.flatMap(({ name, waiting, isPaused, oldestWaitingMs }) => {
    if (isPaused || (oldestWaitingMs ?? 0) < longestWaitOf(name)) return [];
    const seconds = Math.round((oldestWaitingMs ?? 0) / 1000);
    return trouble(
      'alarm',
      `${name} is behind: ${waiting} jobs wait, the oldest for ${seconds} s.`,
      'Add workers for this queue, or see below whether its credentials are shut.',
    );
  });
}

const longestWaitOf = (name: QueueName): number =>
  name.endsWith('-bulk') ? LONG_BULK_WAIT_MS : LONG_WAIT_MS;

function silentWorkers({ workers }: PushOverviewReport, now: number): Trouble[] {
  return workers
    .filter(({ reportedAt }) => now - reportedAt > SILENCE_MS)
    .map(({ host, pid, reportedAt }) =>
      trouble(
        'notice',
        `The worker ${host}/${pid} has fallen silent.`,
        'If it was killed, others take over its jobs within seconds.',
        { since: reportedAt },
      ),
    );
}

function letterTroubles(letters: readonly DeadLetterCount[]): Trouble[] {
  const count = letters.reduce((sum, reason) => sum + reason.letters, 0);
  if (count === 0) return [];
  const oldest = Math.min(...letters.map(({ oldestAt }) => oldestAt.getTime()));
  const text = count === 1 ? 'There is a dead letter.' : `There are ${count} dead letters.`;
  return [
    trouble(
      'notice',
      text,
      'A provider refused their message. Mend the cause and retry them, or dismiss them.',
      { since: oldest },
    ),
  ];
}
