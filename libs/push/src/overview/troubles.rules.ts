import { type Platform, platforms, type QueueName } from '#contracts';
import type { GateTrouble } from '../observe/gate-statuses.js';
import type { RetriedDeliveries } from '../observe/push-backlog.repository.js';
import type { PushOverviewReport } from '../observe/push-overview.js';
import type { DeadLetterCount } from '../operate/dead-letter.repository.js';
import {
  type Credential,
  credentialsOf,
  isSilent,
  platformStatesOf,
  pruneAlarmsOf,
} from './pipeline-state.rules.js';
import type { AwaySince, PipelineParts } from './pipeline-view.js';

/** Something that an operator ought to know of, and what to do about it. */
export interface Trouble {
  /** An `alarm` keeps notifications from phones; a `notice` does not yet, or was meant. */
  readonly severity: 'alarm' | 'notice';
  /** What it is about; null where it is about none of them, or both. */
  readonly platform: Platform | null;
  readonly text: string;
  /** What happens by itself, and what a person is to do. */
  readonly advice: string;
  /** UNIX milliseconds; null where it is not known. */
  readonly since: number | null;
  /** When it is tried again by itself, in UNIX milliseconds; null where it is not, or is tried already. */
  readonly until: number | null;
}

/** Somebody waits for what is urgent. */
const LONG_WAIT_MS = 30_000;
/** A fan-out may take its time. */
const LONG_BULK_WAIT_MS = 600_000;
/** A provider mostly answers in a tenth of a second. */
const SLOW_ANSWER_MS = 3000;
/** A few phones that are throttled are nobody's trouble; as many as are reached meanwhile are. */
const LEAST_RETRIED = 10;
const RETRIED_MS = 5000;
const REACHED_MS = 20_000;
const REASONS_NAMED = 3;

const PLATFORM_NAMES: Readonly<Record<Platform, string>> = {
  apns: 'Apple (APNs)',
  fcm: 'Google (FCM)',
};

type Traits = Partial<Pick<Trouble, 'platform' | 'since' | 'until'>>;

const trouble = (
  severity: Trouble['severity'],
  text: string,
  advice: string,
  { platform = null, since = null, until = null }: Traits = {},
): Trouble => ({ severity, platform, text, advice, since, until });

/** What is wrong with the pipeline, alarms first. `now` is in UNIX milliseconds. */
export function troublesOf(
  { pipeline, letters, backlog }: PipelineParts,
  away: AwaySince,
  now: number,
): Trouble[] {
  const troubles = [
    ...awayTroubles({ pipeline, letters, backlog }, away),
    ...(pipeline === null ? [] : pipelineTroubles(pipeline, now)),
    ...(pipeline === null ? [] : retryTroubles(pipeline, backlog ?? [], now)),
    ...letterTroubles(letters ?? []),
    ...(pipeline === null ? [] : expiryTroubles(pipeline)),
  ];
  return troubles.toSorted(
    (one, other) => Number(other.severity === 'alarm') - Number(one.severity === 'alarm'),
  );
}

function awayTroubles({ pipeline, letters }: PipelineParts, away: AwaySince): Trouble[] {
  const redis = trouble(
    'alarm',
    'Redis does not answer.',
    'Bring it back. Until then notifications are accepted and wait in PostgreSQL; a sweep then wakes them by itself, and nothing is lost.',
    { since: away.redis },
  );
  const postgres = trouble(
    'alarm',
    'PostgreSQL does not answer.',
    'Bring it back. Until then nothing is accepted and nothing is sent; what was accepted goes on by itself.',
    { since: away.postgres },
  );
  return [...(pipeline === null ? [redis] : []), ...(letters === null ? [postgres] : [])];
}

function pipelineTroubles(pipeline: PushOverviewReport, now: number): Trouble[] {
  return [
    ...platformTroubles(pipeline, now),
    ...credentialTroubles(pipeline),
    ...pruneTroubles(pipeline),
    ...slowTroubles(pipeline, now),
    ...waitTroubles(pipeline, now),
    ...silentWorkers(pipeline, now),
  ];
}

function platformTroubles(pipeline: PushOverviewReport, now: number): Trouble[] {
  const states = platformStatesOf(pipeline, now);
  return platforms.flatMap((platform) => {
    const { isPaused, hasWorkers } = states[platform];
    const name = PLATFORM_NAMES[platform];
    const paused = trouble(
      'notice',
      `${name} is paused.`,
      'Somebody did so. Notifications wait, each for its time to live at the most, until it is resumed here or by `carillon push resume`.',
      { platform },
    );
    const unworked = trouble(
      'alarm',
      `No worker sends to ${name}.`,
      'Start a push-worker that takes from its queues. Notifications wait meanwhile, each for its time to live.',
      { platform },
    );
    return [...(hasWorkers ? [] : [unworked]), ...(isPaused ? [paused] : [])];
  });
}

/** What a shut way is called, and what to do about it, by what keeps it shut. */
const SHUT: Readonly<
  Record<GateTrouble, { text: (name: string, credential: string) => string; advice: string }>
> = {
  outage: {
    text: (name, credential) =>
      `${name} is in trouble or cannot be reached, nothing is sent with ${credential}`,
    advice:
      'Nothing to do as long as it is theirs: it is tried again by itself, no attempt is used up and nothing is lost but what gets too old. See whether they say so too, and whether the workers reach the Internet.',
  },
  throttled: {
    text: (name, credential) => `${name} asks to wait, nothing is sent with ${credential}`,
    advice:
      'Nothing to do: it goes on by itself, slowly at first, and no attempt is used up. If it comes often, ask for a higher quota.',
  },
  misconfigured: {
    text: (name, credential) => `${name} does not let us in with ${credential}`,
    advice:
      'Correct the credential, or what it may send to. A file that is replaced is used within seconds, a changed variable after a restart of the workers. It is tried again by itself; what waits is lost only when it gets too old.',
  },
};

/** Reasons of the transport's, which no page of a provider explains. */
const WORDS: Readonly<Record<string, string>> = {
  connection: 'the connection fails',
  deadline: 'no answer within the deadline',
};

const wordsOf = (reason: string): string => WORDS[reason] ?? reason;

function credentialTroubles({ workers }: PushOverviewReport): Trouble[] {
  return credentialsOf(workers)
    .filter(({ state }) => state !== 'open')
    .map(({ key, platform, cause, reason, since, reopensAt }: Credential) => {
      const { text, advice } = SHUT[cause ?? 'outage'];
      const why = reason === null ? '' : `: ${wordsOf(reason)}`;
      return trouble('alarm', `${text(PLATFORM_NAMES[platform], key)}${why}.`, advice, {
        platform,
        since,
        until: reopensAt,
      });
    });
}

const pruneTroubles = ({ workers }: PushOverviewReport): Trouble[] =>
  pruneAlarmsOf(workers).map(({ key, platform, since, dead, answers }) =>
    trouble(
      'alarm',
      `${PLATFORM_NAMES[platform]} calls the tokens of ${dead} of ${answers} accounts of ${key} dead: none is removed.`,
      'A wrong topic, project or environment looks like this: compare the app with the credential. It is lifted by itself when the answers are normal again.',
      { platform, since },
    ),
  );

/** Before a provider that hangs is called away, what is under way has to run into its deadline. */
function slowTroubles({ workers }: PushOverviewReport, now: number): Trouble[] {
  const troubled = new Set(
    credentialsOf(workers).flatMap(({ state, platform }) => (state === 'open' ? [] : platform)),
  );
  return platforms.flatMap((platform) => {
    const times = workers
      .filter((worker) => !isSilent(worker, now))
      .flatMap(({ oldestInFlightAt }) => oldestInFlightAt[platform] ?? []);
    const since = Math.min(...times);
    if (troubled.has(platform) || times.length === 0 || now - since < SLOW_ANSWER_MS) return [];
    return trouble(
      'notice',
      `${PLATFORM_NAMES[platform]} takes long to answer.`,
      'What is not answered by its deadline is tried again; when that happens to several in a row, sending stops by itself until it answers.',
      { platform, since },
    );
  });
}

function waitTroubles(pipeline: PushOverviewReport, now: number): Trouble[] {
  const states = platformStatesOf(pipeline, now);
  // What is wrong with a platform that cannot send is said already.
  const isHeldUp = (platform: Platform | null) =>
    platform !== null && (states[platform].isShut || !states[platform].hasWorkers);
  return pipeline.queues.flatMap(({ name, isPaused, oldestWaitingMs }) => {
    const waitedMs = oldestWaitingMs ?? 0;
    const platform = platformOf(name);
    if (isPaused || isHeldUp(platform) || waitedMs < longestWaitOf(name)) return [];
    return trouble(
      'alarm',
      `${name} is behind: jobs wait for longer than they should.`,
      'Add workers for this queue, unless they only take a breath after an outage: then the oldest gets younger by itself.',
      { platform, since: now - waitedMs },
    );
  });
}

const longestWaitOf = (name: QueueName): number =>
  name.endsWith('-bulk') ? LONG_BULK_WAIT_MS : LONG_WAIT_MS;

const platformOf = (name: QueueName): Platform | null =>
  platforms.find((platform) => name.startsWith(`push-${platform}`)) ?? null;

const silentWorkers = ({ workers }: PushOverviewReport, now: number): Trouble[] =>
  workers
    .filter((worker) => isSilent(worker, now))
    .map(({ host, pid, reportedAt }) =>
      trouble(
        'notice',
        `The worker ${host}/${pid} has fallen silent.`,
        'If it has died, others take over what it held by themselves, within seconds; see its log, and that it is started again.',
        { since: reportedAt },
      ),
    );

/** Phones wait although every way is open: the provider refuses them one by one, for now. */
function retryTroubles(
  pipeline: PushOverviewReport,
  backlog: NonNullable<PipelineParts['backlog']>,
  now: number,
): Trouble[] {
  const states = platformStatesOf(pipeline, now);
  return backlog.flatMap(({ platform, retried }) => {
    const { isPaused, isShut } = states[platform];
    if (retried === null || isPaused || isShut) return [];
    if (!isMuch(retried, reachedLately(pipeline, platform, now))) return [];
    return trouble(
      'alarm',
      `${PLATFORM_NAMES[platform]} takes few of our pushes at the moment: ${wordsOf(retried.reason)}.`,
      'They are tried again by themselves, with growing pauses, for as long as they live. What the reason means: docs/push-outcomes.md.',
      { platform, since: now - retried.oldestMs },
    );
  });
}

const isMuch = ({ count, oldestMs }: RetriedDeliveries, reached: number): boolean =>
  count >= LEAST_RETRIED && oldestMs >= RETRIED_MS && count > reached;

const reachedLately = ({ outcomes }: PushOverviewReport, platform: Platform, now: number): number =>
  outcomes
    .filter(({ at }) => at >= now - REACHED_MS)
    .reduce((sum, { counts }) => sum + (counts[`${platform}:delivered`] ?? 0), 0);

function letterTroubles(letters: readonly DeadLetterCount[]): Trouble[] {
  const count = letters.reduce((sum, reason) => sum + reason.letters, 0);
  if (count === 0) return [];
  const reasons = [...new Set(letters.map(({ reason }) => reason))];
  const named = reasons.slice(0, REASONS_NAMED).join(', ');
  const more = reasons.length > REASONS_NAMED ? ', …' : '';
  const are = count === 1 ? 'is a dead letter' : `are ${count} dead letters`;
  return [
    trouble(
      'notice',
      `There ${are}: ${named}${more}.`,
      'A provider refused the message itself; nothing more happens by itself. Mend the cause and retry them, or dismiss them.',
      { since: Math.min(...letters.map(({ oldestAt }) => oldestAt.getTime())) },
    ),
  ];
}

function expiryTroubles({ outcomes }: PushOverviewReport): Trouble[] {
  return platforms.flatMap((platform) => {
    const first = outcomes.find(({ counts }) => (counts[`${platform}:expired`] ?? 0) > 0);
    if (first === undefined) return [];
    return trouble(
      'notice',
      `Notifications for ${PLATFORM_NAMES[platform]} were dropped as too old in the last half hour.`,
      'They waited for longer than their time to live, and are not sent late. What held them up is over, or stands here too.',
      { platform, since: first.at },
    );
  });
}
