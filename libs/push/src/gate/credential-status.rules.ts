import type { ProviderGateStatus } from './provider-gate.js';

/** The gate of one foreign topic, and when a push of that topic was last answered (UNIX milliseconds). */
export interface TopicGateStatus extends ProviderGateStatus {
  readonly answeredAt: number;
}

/** Reasons that speak of the topic and say nothing of the credential. */
const TOPIC_REASONS: ReadonlySet<string> = new Set(['TopicDisallowed']);

const WELL = {
  state: 'closed',
  cause: null,
  reason: null,
  since: null,
  reopensAt: null,
} as const;

/**
 * How a credential stands that sends for foreign topics only. A topic that a phone made up must not count
 * as trouble of the credential: trouble counts while no push of another topic was answered since it began.
 */
export function statusOfCredential(topics: readonly TopicGateStatus[]): ProviderGateStatus {
  const openedCount = topics.reduce((sum, topic) => sum + topic.openedCount, 0);
  const trouble = topics.find(
    (topic) =>
      topic.since !== null &&
      !TOPIC_REASONS.has(topic.reason ?? '') &&
      !topics.some((other) => other !== topic && other.answeredAt >= (topic.since ?? 0)),
  );
  if (trouble === undefined) return { ...WELL, openedCount };
  const { state, cause, reason, since, reopensAt } = trouble;
  return { state, cause, reason, since, reopensAt, openedCount };
}
