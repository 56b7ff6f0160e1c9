import { type Platform, platforms, type QueueName } from '#platform/contracts';
import type { PendingDeliveries, PipelineReport, RetriedDeliveries } from '#push/observability';
import type { DeadLetterCount } from '../dead-letter.repository.js';
import {
  type AlertName,
  alertRules,
  alertThresholds,
  BREAKER_TEXTS,
  PLATFORM_NAMES,
  reasonText,
} from './alert-rules.js';
import {
  type Credential,
  credentialsOf,
  isSilent,
  platformStatesOf,
  pruneAlarmsOf,
} from './pipeline-state.rules.js';

/** The data of a status; a part is null while its store is down. */
export interface PipelineParts {
  /** From Redis. */
  readonly pipeline: PipelineReport | null;
  /** From PostgreSQL. */
  readonly letters: readonly DeadLetterCount[] | null;
  /** From PostgreSQL; null also while counting takes too long. */
  readonly backlog: readonly PendingDeliveries[] | null;
}

/** Since when a store has been down, in UNIX milliseconds; null while it is up. */
export interface DownSince {
  readonly redis: number | null;
  readonly postgres: number | null;
}

/** A problem that an operator should know, and its remedy. */
export interface Alert {
  readonly name: AlertName;
  /** An `alarm` keeps notifications from phones; a `notice` does not yet, or was meant. */
  readonly severity: 'alarm' | 'notice';
  /** Null for an alert about both platforms or none. */
  readonly platform: Platform | null;
  readonly text: string;
  /** The automatic reaction, and the steps for an operator. */
  readonly advice: string;
  /** UNIX milliseconds; null if unknown. */
  readonly since: number | null;
  /** The next automatic attempt, in UNIX milliseconds; null without one. */
  readonly until: number | null;
}

/** A few throttled phones raise no alert. More retries than deliveries in the last 20 seconds do. */
const MIN_RETRIED = 10;
const RETRIED_MS = 5000;
const DELIVERED_MS = 20_000;
const REASONS_NAMED = 3;

type Traits = Partial<Pick<Alert, 'platform' | 'since' | 'until'>>;

const SEVERITIES = { page: 'alarm', ticket: 'notice' } as const;

const alert = (
  name: AlertName,
  text: string,
  advice: string,
  { platform = null, since = null, until = null }: Traits = {},
): Alert => {
  const severity = SEVERITIES[alertRules[name].severity];
  return { name, severity, platform, text, advice, since, until };
};

/** The alerts of the pipeline, alarms first. `now` is in UNIX milliseconds. */
export function evaluateAlerts(
  { pipeline, letters, backlog }: PipelineParts,
  downSince: DownSince,
  now: number,
): Alert[] {
  const alerts = [
    ...storeAlerts({ pipeline, letters, backlog }, downSince),
    ...(pipeline === null ? [] : pipelineAlerts(pipeline, now)),
    ...(pipeline === null ? [] : retryAlerts(pipeline, backlog ?? [], now)),
    ...(pipeline === null ? [] : pendingAlerts(pipeline, backlog ?? [], now)),
    ...letterAlerts(letters ?? []),
    ...(pipeline === null ? [] : expiryAlerts(pipeline)),
  ];
  return alerts.toSorted(
    (one, other) => Number(other.severity === 'alarm') - Number(one.severity === 'alarm'),
  );
}

function storeAlerts({ pipeline, letters }: PipelineParts, downSince: DownSince): Alert[] {
  const redis = alert(
    'CarillonPushBlind',
    'Redis does not answer.',
    'Restore Redis. Until then accepted notifications wait in PostgreSQL. A sweep sends them afterwards; nothing is lost.',
    { since: downSince.redis },
  );
  const postgres = alert(
    'CarillonPushBlind',
    'PostgreSQL does not answer.',
    'Restore PostgreSQL. Until then no notification is accepted or sent. Accepted notifications are sent afterwards.',
    { since: downSince.postgres },
  );
  return [...(pipeline === null ? [redis] : []), ...(letters === null ? [postgres] : [])];
}

function pipelineAlerts(pipeline: PipelineReport, now: number): Alert[] {
  return [
    ...platformAlerts(pipeline, now),
    ...credentialAlerts(pipeline),
    ...pruneAlerts(pipeline),
    ...slowAlerts(pipeline, now),
    ...waitAlerts(pipeline, now),
    ...silentWorkerAlerts(pipeline, now),
  ];
}

function platformAlerts(pipeline: PipelineReport, now: number): Alert[] {
  const states = platformStatesOf(pipeline, now);
  return platforms.flatMap((platform) => {
    const { isPaused, hasWorkers } = states[platform];
    const name = PLATFORM_NAMES[platform];
    const paused = alert(
      'CarillonPushQueuePaused',
      `${name} is paused.`,
      'An operator paused it. Notifications wait, each for its time to live at most. Resume it here or with `carillon push resume`.',
      { platform },
    );
    const unworked = alert(
      'CarillonPushNoWorker',
      `No worker sends to ${name}.`,
      'Start a push worker with its queues in PUSH_QUEUES. Notifications wait, each for its time to live at most.',
      { platform },
    );
    return [...(hasWorkers ? [] : [unworked]), ...(isPaused ? [paused] : [])];
  });
}

function credentialAlerts({ workers }: PipelineReport): Alert[] {
  return credentialsOf(workers)
    .filter(({ state }) => state !== 'closed')
    .map(({ key, platform, cause, reason, since, reopensAt }: Credential) => {
      const { text, advice } = BREAKER_TEXTS[cause ?? 'outage'];
      const why = reason === null ? '' : `: ${reasonText(reason)}`;
      return alert(
        cause === 'misconfigured' ? 'CarillonPushMisconfigured' : 'CarillonPushStopped',
        `${text(PLATFORM_NAMES[platform], key)}${why}.`,
        advice,
        {
          platform,
          since,
          until: reopensAt,
        },
      );
    });
}

const pruneAlerts = ({ workers }: PipelineReport): Alert[] =>
  pruneAlarmsOf(workers).map(({ key, platform, since, dead, answers }) =>
    alert(
      'CarillonPushTokensDieInMasses',
      `${PLATFORM_NAMES[platform]} reports the tokens of ${dead} of ${answers} accounts of ${key} as dead. No token is removed.`,
      'The usual cause is a wrong topic, project or environment: compare the app with the credential. The alarm ends when the answers are normal again.',
      { platform, since },
    ),
  );

/** The breaker of a provider that hangs opens only after several pushes have met their deadline. */
function slowAlerts({ workers }: PipelineReport, now: number): Alert[] {
  const troubled = new Set(
    credentialsOf(workers).flatMap(({ state, platform }) => (state === 'closed' ? [] : platform)),
  );
  return platforms.flatMap((platform) => {
    const times = workers
      .filter((worker) => !isSilent(worker, now))
      .flatMap(({ oldestInFlightAt }) => oldestInFlightAt[platform] ?? []);
    const since = Math.min(...times);
    if (troubled.has(platform) || times.length === 0 || now - since < alertThresholds.answerMs)
      return [];
    return alert(
      'CarillonPushProviderSlow',
      `${PLATFORM_NAMES[platform]} answers slowly.`,
      'A push without an answer at its deadline is tried again. After several of them in a row, sending stops until the provider answers.',
      { platform, since },
    );
  });
}

function waitAlerts(pipeline: PipelineReport, now: number): Alert[] {
  const states = platformStatesOf(pipeline, now);
  // Another alert covers a platform that cannot send.
  const isHeldUp = (platform: Platform | null) =>
    platform !== null && (states[platform].isStopped || !states[platform].hasWorkers);
  return pipeline.queues.flatMap(({ name, isPaused, oldestWaitingMs }) => {
    const waitedMs = oldestWaitingMs ?? 0;
    const platform = platformOf(name);
    if (isPaused || isHeldUp(platform) || waitedMs < maxWaitOf(name)) return [];
    return alert(
      'CarillonPushQueueBehind',
      `${name} is behind: its jobs wait too long.`,
      'Add workers for this queue. After an outage, wait first: the workers may be catching up.',
      { platform, since: now - waitedMs },
    );
  });
}

const maxWaitOf = (name: QueueName): number =>
  name.endsWith('-bulk') ? alertThresholds.bulkWaitMs : alertThresholds.urgentWaitMs;

const platformOf = (name: QueueName): Platform | null =>
  platforms.find((platform) => name.startsWith(`push-${platform}`)) ?? null;

const silentWorkerAlerts = ({ workers }: PipelineReport, now: number): Alert[] =>
  workers
    .filter((worker) => isSilent(worker, now))
    .map(({ host, pid, reportedAt }) =>
      alert(
        'CarillonPushWorkerSilent',
        `The worker ${host}/${pid} does not report.`,
        'If it has died, other workers take over its deliveries within seconds. Read its log, and check that it is restarted.',
        { since: reportedAt },
      ),
    );

/** Deliveries wait although the breaker is closed: the provider refuses them one by one, for now. */
function retryAlerts(
  pipeline: PipelineReport,
  backlog: NonNullable<PipelineParts['backlog']>,
  now: number,
): Alert[] {
  const states = platformStatesOf(pipeline, now);
  return backlog.flatMap(({ platform, retried }) => {
    const { isPaused, isStopped } = states[platform];
    if (retried === null || isPaused || isStopped) return [];
    if (!areMany(retried, deliveredRecently(pipeline, platform, now))) return [];
    return alert(
      'CarillonPushRefused',
      `${PLATFORM_NAMES[platform]} refuses most pushes at the moment: ${reasonText(retried.reason)}.`,
      'They are tried again with growing delays until their time to live ends. docs/push-outcomes.md explains the reason.',
      { platform, since: now - retried.oldestMs },
    );
  });
}

/** Deliveries that are pending for too long for another reason than those of the other alerts. */
function pendingAlerts(
  pipeline: PipelineReport,
  backlog: NonNullable<PipelineParts['backlog']>,
  now: number,
): Alert[] {
  const states = platformStatesOf(pipeline, now);
  const explained = new Set(
    [...waitAlerts(pipeline, now), ...retryAlerts(pipeline, backlog, now)].map(
      ({ platform }) => platform,
    ),
  );
  return backlog.flatMap(({ platform, oldestMs }) => {
    const { isPaused, isStopped, hasWorkers } = states[platform];
    if (isPaused || isStopped || !hasWorkers || explained.has(platform)) return [];
    if (oldestMs <= alertThresholds.pendingMs) return [];
    return alert(
      'CarillonPushBehind',
      `A notification for ${PLATFORM_NAMES[platform]} has waited for more than five minutes.`,
      'It is tried again until its time to live ends. Search for it here or with `carillon push history`: its attempts show the reason.',
      { platform, since: now - oldestMs },
    );
  });
}

const areMany = ({ count, oldestMs }: RetriedDeliveries, delivered: number): boolean =>
  count >= MIN_RETRIED && oldestMs >= RETRIED_MS && count > delivered;

const deliveredRecently = ({ outcomes }: PipelineReport, platform: Platform, now: number): number =>
  outcomes
    .filter(({ at }) => at >= now - DELIVERED_MS)
    .reduce((sum, { counts }) => sum + (counts[`${platform}:delivered`] ?? 0), 0);

function letterAlerts(letters: readonly DeadLetterCount[]): Alert[] {
  const count = letters.reduce((sum, reason) => sum + reason.letters, 0);
  if (count === 0) return [];
  const reasons = [...new Set(letters.map(({ reason }) => reason))];
  const named = reasons.slice(0, REASONS_NAMED).join(', ');
  const more = reasons.length > REASONS_NAMED ? ', …' : '';
  const are = count === 1 ? 'is a dead letter' : `are ${count} dead letters`;
  return [
    alert(
      'CarillonPushDeadLetters',
      `There ${are}: ${named}${more}.`,
      'A provider refused the message itself, and no retry is automatic. Correct the cause and retry them, or dismiss them.',
      { since: Math.min(...letters.map(({ oldestAt }) => oldestAt.getTime())) },
    ),
  ];
}

function expiryAlerts({ outcomes }: PipelineReport): Alert[] {
  return platforms.flatMap((platform) => {
    const first = outcomes.find(({ counts }) => (counts[`${platform}:expired`] ?? 0) > 0);
    if (first === undefined) return [];
    return alert(
      'CarillonPushExpires',
      `Notifications for ${PLATFORM_NAMES[platform]} were dropped as too old in the last half hour.`,
      'They waited longer than their time to live and are not sent late. The cause is over, or is another alert here.',
      { platform, since: first.at },
    );
  });
}
