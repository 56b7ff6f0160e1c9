import { platforms } from '#push/jobs';
import type { PendingDeliveries, PipelineReport } from '#push/observability';
import type { DeadLetterCount } from '../dead-letter.repository.js';
import { type Alert, alert } from './alert.js';
import { alertThresholds, BREAKER_TEXTS, PLATFORM_NAMES, reasonText } from './alert-definitions.js';
import {
  type CredentialState,
  credentialsOf,
  isSilent,
  platformStatesOf,
  pruneAlarmsOf,
} from './pipeline-state.rules.js';
import { waitingAlerts } from './waiting-alerts.rules.js';

/** The data of a status; a part is null while its store is down. */
export interface PipelineParts {
  /** From Redis. */
  readonly pipeline: PipelineReport | null;
  /** From PostgreSQL. */
  readonly letters: readonly DeadLetterCount[] | null;
  /** From PostgreSQL; null also while counting takes too long. */
  readonly backlog: readonly PendingDeliveries[] | null;
  /** Whether PostgreSQL refuses writes. */
  readonly isReadOnly: boolean | null;
}

/** Since when a store has been down, in UNIX milliseconds; null while it is up. */
export interface DownSince {
  readonly redis: number | null;
  readonly postgres: number | null;
}

const REASONS_NAMED = 3;

/** The alerts of the pipeline, alarms first. `now` is in UNIX milliseconds. */
export function evaluateAlerts(parts: PipelineParts, downSince: DownSince, now: number): Alert[] {
  const { pipeline, letters, backlog } = parts;
  const alerts = [
    ...storeAlerts(parts, downSince),
    ...(pipeline === null ? [] : pipelineAlerts(pipeline, now)),
    ...(pipeline === null ? [] : waitingAlerts(pipeline, backlog ?? [], now)),
    ...letterAlerts(letters ?? []),
    ...(pipeline === null ? [] : expiryAlerts(pipeline)),
  ];
  return alerts.toSorted(
    (one, other) => Number(other.severity === 'alarm') - Number(one.severity === 'alarm'),
  );
}

function storeAlerts(
  { pipeline, letters, isReadOnly }: PipelineParts,
  downSince: DownSince,
): Alert[] {
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
  const readOnly = alert(
    'CarillonPushReadOnly',
    'PostgreSQL refuses writes.',
    'Point DATABASE_URL to the primary, or end the read-only setting: `carillon doctor` names it. Until then no notification is accepted or sent.',
  );
  return [
    ...(pipeline === null ? [redis] : []),
    ...(letters === null ? [postgres] : []),
    ...(letters !== null && isReadOnly === true ? [readOnly] : []),
  ];
}

function pipelineAlerts(pipeline: PipelineReport, now: number): Alert[] {
  return [
    ...platformAlerts(pipeline, now),
    ...credentialAlerts(pipeline),
    ...pruneAlerts(pipeline),
    ...slowAlerts(pipeline, now),
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
      `An operator paused it. Notifications wait, each for its time to live at most. Resume it here or with \`carillon push resume ${platform}\`.`,
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
    .map(({ key, platform, cause, reason, since, reopensAt }: CredentialState) => {
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
      'CarillonPushTokenRemovalStopped',
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

function letterAlerts(letters: readonly DeadLetterCount[]): Alert[] {
  const count = letters.reduce((sum, reason) => sum + reason.letters, 0);
  if (count === 0) return [];
  const reasons = [...new Set(letters.map(({ reason }) => reason))];
  const named = reasons.slice(0, REASONS_NAMED).join(', ');
  const others = reasons.length - REASONS_NAMED;
  const more = others > 0 ? ` and ${others} other ${others === 1 ? 'reason' : 'reasons'}` : '';
  const counted = `${count.toLocaleString('en')} dead ${count === 1 ? 'letter' : 'letters'}`;
  return [
    alert(
      'CarillonPushDeadLetters',
      `${counted}: ${named}${more}.`,
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
