import type { Platform } from '#push/jobs';
import type { BreakerCause } from '#push/breakers';

/** One alert of push. */
export interface AlertRule {
  /**
   * `page`: notifications do not reach phones, or no metric shows whether they do; `ticket`: most still do, or an
   * operator caused the condition.
   */
  readonly severity: 'page' | 'ticket';
  /** The rule of Prometheus; null where only the ops page and the command line can evaluate the condition. */
  readonly prometheus: PrometheusRule | null;
}

/** As in deploy/observability/alerts.yml, where each metric also selects the jobs of Carillon. */
interface PrometheusRule {
  readonly expr: string;
  /** How long the condition holds before Prometheus notifies; the ops page shows it at once. */
  readonly for: string | null;
}

/** A job of the urgent lane waits for longer. */
const URGENT_WAIT_SECONDS = 30;
/** A fan-out may take longer. */
const BULK_WAIT_SECONDS = 600;
/** A delivery has been pending for longer, also with empty queues. */
const PENDING_SECONDS = 300;
/** A provider usually answers in a tenth of a second. */
const ANSWER_SECONDS = 3;
/** One delivery in a hundred takes longer. */
const LATENCY_SECONDS = 5;

/** The thresholds that the ops page evaluates, in milliseconds. */
export const alertThresholds = {
  urgentWaitMs: URGENT_WAIT_SECONDS * 1000,
  bulkWaitMs: BULK_WAIT_SECONDS * 1000,
  pendingMs: PENDING_SECONDS * 1000,
  answerMs: ANSWER_SECONDS * 1000,
} as const;

const rule = (
  severity: AlertRule['severity'],
  expr: string | null = null,
  holdsFor: string | null = null,
): AlertRule => ({ severity, prometheus: expr === null ? null : { expr, for: holdsFor } });

const queueOldest = (queues: string, seconds: number): string =>
  `max by (queue) (carillon_push_queue_oldest_seconds{queue${queues}".*-bulk"}) >= ${seconds}`;

/**
 * All alerts of push, with their severities and thresholds. The ops page and `carillon push status` evaluate them in
 * alerts.rules.ts and waiting-alerts.rules.ts; a test compares deploy/observability/alerts.yml with them.
 */
export const alertRules = {
  CarillonPushStopped: rule(
    'page',
    'min by (platform, credential) (carillon_push_breaker_state{state="closed"}) == 0',
    '2m',
  ),
  CarillonPushMisconfigured: rule(
    'page',
    'max by (platform, credential, reason) (carillon_push_breaker_cause{cause="misconfigured"}) == 1',
    '30s',
  ),
  CarillonPushBehind: rule(
    'page',
    `max by (platform) (carillon_push_pending_oldest_seconds) > ${PENDING_SECONDS}`,
    '5m',
  ),
  CarillonPushQueueBehind: rule(
    'page',
    `${queueOldest('!~', URGENT_WAIT_SECONDS)} or ${queueOldest('=~', BULK_WAIT_SECONDS)}`,
    '5m',
  ),
  CarillonPushSlow: rule(
    'ticket',
    `histogram_quantile(0.99, sum by (platform, le) (rate(carillon_push_latency_seconds_bucket{kind!="remove"}[5m]))) > ${LATENCY_SECONDS}`,
    '10m',
  ),
  CarillonPushTokenRemovalStopped: rule(
    'page',
    'max by (platform, app) (carillon_push_prune_alarm) == 1',
  ),
  CarillonPushDeadLetters: rule(
    'ticket',
    'sum by (platform) (increase(carillon_push_dead_lettered_total[15m])) > 0',
  ),
  CarillonPushExpires: rule(
    'ticket',
    'sum by (platform) (increase(carillon_push_expired_total[15m])) > 0',
  ),
  CarillonPushQueuePaused: rule('ticket', 'max by (queue) (carillon_push_queue_paused) == 1', '1h'),
  CarillonPushBlind: rule(
    'page',
    'absent(carillon_push_queue_jobs) or absent(carillon_push_pending_oldest_seconds)',
    '5m',
  ),
  CarillonPushNoWorker: rule(
    'page',
    'max by (queue) (carillon_push_queue_workers) == 0 and max by (queue) (carillon_push_queue_jobs) > 0',
    '5m',
  ),
  CarillonPushNotScraped: rule('page', 'absent(carillon_push_in_flight)', '5m'),
  CarillonPushReadOnly: rule('page'),
  CarillonPushProviderSlow: rule('ticket'),
  CarillonPushRefused: rule('page'),
  CarillonPushWorkerSilent: rule('ticket'),
} as const satisfies Record<string, AlertRule>;

/** The name of an alert, the same on the ops page and in Prometheus. */
export type AlertName = keyof typeof alertRules;

/** The names of the providers. */
export const PLATFORM_NAMES: Readonly<Record<Platform, string>> = {
  apns: 'Apple (APNs)',
  fcm: 'Google (FCM)',
  web: 'Web Push',
};

/** The text and advice for a breaker that is not closed, by its cause. */
export const BREAKER_TEXTS: Readonly<
  Record<BreakerCause, { text: (name: string, credential: string) => string; advice: string }>
> = {
  outage: {
    text: (name, credential) =>
      `${name} is failing or unreachable; sending with ${credential} is stopped`,
    advice:
      'Sending is tried again automatically and uses up no attempt; only notifications that get too old are lost. Check the status page of the provider, and that the workers reach the Internet.',
  },
  throttled: {
    text: (name, credential) => `${name} throttles; sending with ${credential} is stopped`,
    advice:
      'Sending resumes automatically, slowly at first, and uses up no attempt. If this happens often, request a higher quota.',
  },
  misconfigured: {
    text: (name, credential) => `The configuration of ${name} is wrong for ${credential}`,
    advice:
      'Correct the credential or its permissions. A replaced file is used within seconds, a changed variable after a restart of the workers. Sending is tried again automatically; only notifications that get too old are lost.',
  },
};

/** Reasons of the transport, which no provider documents. */
const REASON_TEXTS: Readonly<Record<string, string>> = {
  connection: 'the connection fails',
  deadline: 'no answer within the deadline',
};

/** A readable reason. */
export const reasonText = (reason: string): string => REASON_TEXTS[reason] ?? reason;
