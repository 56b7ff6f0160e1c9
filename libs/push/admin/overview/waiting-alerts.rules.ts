import { type Platform, platforms, type QueueName } from '#push/jobs';
import { AWAITS_REMOVAL } from '#push/notifications';
import type { PendingDeliveries, PipelineReport, RetriedDeliveries } from '#push/observability';
import { type Alert, alert } from './alert.js';
import { alertThresholds, PLATFORM_NAMES, reasonText } from './alert-definitions.js';
import { platformStatesOf } from './pipeline-state.rules.js';

/** A few throttled phones raise no alert. More retries than deliveries in the last 20 seconds do. */
const MIN_RETRIED = 10;
const RETRIED_MS = 5000;
const DELIVERED_MS = 20_000;

/**
 * The alerts about notifications that wait although their platform can send: their queue is behind, the provider refuses
 * them, or neither explains it. `now` is in UNIX milliseconds.
 */
export function waitingAlerts(
  pipeline: PipelineReport,
  backlog: readonly PendingDeliveries[],
  now: number,
): Alert[] {
  const behind = queueAlerts(pipeline, now);
  const refused = retryAlerts(pipeline, backlog, now);
  const explained = new Set([...behind, ...refused].map(({ platform }) => platform));
  return [...behind, ...refused, ...pendingAlerts(pipeline, backlog, now, explained)];
}

function queueAlerts(pipeline: PipelineReport, now: number): Alert[] {
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

/** Deliveries wait although the breaker is closed: the provider refuses them one by one, for now. */
function retryAlerts(
  pipeline: PipelineReport,
  backlog: readonly PendingDeliveries[],
  now: number,
): Alert[] {
  const states = platformStatesOf(pipeline, now);
  return backlog.flatMap(({ platform, retried }) => {
    const { isPaused, isStopped } = states[platform];
    if (retried === null || retried.reason === AWAITS_REMOVAL || isPaused || isStopped) return [];
    if (!areMany(retried, deliveredRecently(pipeline, platform, now))) return [];
    return alert(
      'CarillonPushRefused',
      `${PLATFORM_NAMES[platform]} refuses most pushes at the moment: ${reasonText(retried.reason)}.`,
      'They are tried again with growing delays until their time to live ends. docs/push-outcomes.md explains the reason.',
      { platform, since: now - retried.oldestMs },
    );
  });
}

const areMany = ({ count, oldestMs }: RetriedDeliveries, delivered: number): boolean =>
  count >= MIN_RETRIED && oldestMs >= RETRIED_MS && count > delivered;

const deliveredRecently = ({ outcomes }: PipelineReport, platform: Platform, now: number): number =>
  outcomes
    .filter(({ at }) => at >= now - DELIVERED_MS)
    .reduce((sum, { counts }) => sum + (counts[`${platform}:delivered`] ?? 0), 0);

/** Deliveries that are pending for too long for another reason than those of the other alerts. */
function pendingAlerts(
  pipeline: PipelineReport,
  backlog: readonly PendingDeliveries[],
  now: number,
  explained: ReadonlySet<Platform | null>,
): Alert[] {
  const states = platformStatesOf(pipeline, now);
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
