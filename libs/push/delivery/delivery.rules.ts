import { hash } from 'node:crypto';
import type { DeliveryState, Platform } from '#push/jobs';
import { backoffMs, type Jitter, withJitter } from '#platform/core';
import {
  apnsPayload,
  fcmData,
  mayBeShownAfter,
  type Outcome,
  type OutgoingPush,
  webPushPayload,
} from '#push/providers';
import type { DeadToken } from '#push/tokens';
import type { DueDelivery } from './delivery-claim.repository.js';
import type { DeadLetter, DeliveryRecord } from './delivery-record.repository.js';
import { subscriptionChangeOf } from './subscription-change.rules.js';

const MAX_DELAY_MS = 300_000;
const RETRY_JITTER: Jitter = { least: 1, most: 1.5 };

const MIN_RECHECK_MS = 20;
/** With thousands of deliveries for one device, rechecks that are more frequent take the time of those that are sent. */
const MAX_RECHECK_MS = 30_000;

/** Retries after the pause of a breaker are spread over this time. */
const SPREAD_MS = 2000;

/** How long to wait after an attempt that may be repeated. */
interface RetryHint {
  readonly firstDelayMs: number;
  /** The provider's Retry-After; never undercut. */
  readonly retryAfterMs: number | null;
}

/**
 * The back-off in milliseconds after this number of attempts: the first delay, doubled each time up to five minutes,
 * or the provider's Retry-After if that is longer. Jitter adds up to half as much again, so that deliveries
 * that failed together do not come back together.
 *
 * `chance` is a random number from 0 up to 1.
 */
export function retryDelayMs(attempts: number, hint: RetryHint, chance: number): number {
  const grown = backoffMs(attempts, { firstMs: hint.firstDelayMs, maxMs: MAX_DELAY_MS });
  // Rounded down: rounded up it would be more than half as much again.
  return Math.floor(withJitter(Math.max(grown, hint.retryAfterMs ?? 0), RETRY_JITTER, chance));
}

/**
 * Milliseconds until a delivery that waits behind another one is claimed again. The worker of the earlier one also
 * sends the later ones, so this concerns only those that arrive in between. The delay grows with the time that the
 * delivery has waited: if it has become the first one without a worker, the sweep finds it earlier.
 */
export const recheckDelayMs = (waitedMs: number): number =>
  halfOfWait(waitedMs, MIN_RECHECK_MS, MAX_RECHECK_MS);

/** Longer than a request to the push service usually takes. */
const MIN_REMOVAL_WAIT_MS = 500;
const MAX_REMOVAL_WAIT_MS = 30_000;

/**
 * Milliseconds until a delivery is claimed again that waits for the push service to forget a phone. The delay grows with the
 * time that the delivery has waited: during an outage of the service thousands may wait.
 */
export const removalDelayMs = (waitedMs: number): number =>
  halfOfWait(waitedMs, MIN_REMOVAL_WAIT_MS, MAX_REMOVAL_WAIT_MS);

const halfOfWait = (waitedMs: number, leastMs: number, mostMs: number): number =>
  Math.min(Math.max(waitedMs / 2, leastMs), mostMs);

/** When a delivery that waits for a breaker is tried again; `chance` is a random number from 0 up to 1. */
export const afterBreakerPause = (until: number, chance: number): number =>
  until + chance * SPREAD_MS;

/**
 * The UUID of a notification to a device. It is the same for every attempt, so that a provider recognises a
 * repeated push. UUID version 8 (RFC 9562): its bits are taken from a SHA-256.
 */
export function deliveryId(notificationId: string, deviceId: number): string {
  const digest = hash('sha256', `${notificationId}/${deviceId}`);
  const variant = (0x8 | (Number.parseInt(digest.charAt(16), 16) & 0x3)).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}

/** A payload in which each text is replaced by its length: it shows the shape and no content. */
export function redacted(value: unknown): unknown {
  if (typeof value === 'string') return `<${[...value].length} characters>`;
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redacted(inner)]));
}

/** An attempt that counts: its outcome, and the consequences. */
export interface Conclusion {
  readonly outcome: Exclude<Outcome, { kind: 'config_fault' }>;
  /** Whether a dead token may be removed. */
  readonly isPruneAllowed: boolean;
  /** When the next attempt is, if there is one, in UNIX milliseconds. */
  readonly nextAt: number;
  /** Null when none could be made. */
  readonly push: OutgoingPush | null;
}

/** Most notifications expire earlier. */
const MAX_ATTEMPTS = 200;

/** The part of a record that is the same for deliveries of this installation and of servers. */
interface AttemptRecord {
  readonly state: DeliveryState;
  readonly reason: string | null;
  readonly dueAt: Date | null;
}

/** The state of a delivery after an attempt that counts; `attempts` is the number of those before. */
export function stateAfter(
  { outcome, nextAt }: Pick<Conclusion, 'outcome' | 'nextAt'>,
  attempts: number,
): AttemptRecord {
  switch (outcome.kind) {
    case 'delivered':
      return { state: 'delivered', reason: uniqueIdOf(outcome), dueAt: null };
    case 'dead_token':
      return { state: 'dead_token', reason: outcome.reason, dueAt: null };
    case 'message_fault':
      return { state: 'rejected', reason: outcome.reason, dueAt: null };
    case 'retry':
      return attempts + 1 < MAX_ATTEMPTS
        ? { state: 'pending', reason: outcome.reason, dueAt: new Date(nextAt) }
        : { state: 'rejected', reason: outcome.reason, dueAt: null };
  }
}

/** By which Apple's console finds a push of its development environment. */
const uniqueIdOf = ({ uniqueId }: Extract<Outcome, { kind: 'delivered' }>): string | null =>
  uniqueId === undefined ? null : `apns-unique-id ${uniqueId}`;

/** A record of the state alone. */
export const plainRecord = (
  {
    notificationId,
    deviceId,
    mayBeShown,
    inPage,
  }: Pick<DueDelivery, 'notificationId' | 'deviceId' | 'mayBeShown' | 'inPage'>,
  state: DeliveryRecord['state'],
): DeliveryRecord => ({
  notificationId,
  deviceId,
  state,
  isAttempt: false,
  mayBeShown,
  reason: null,
  dueAt: null,
  dead: null,
  deadLetter: null,
  environment: null,
  subscription: null,
  inPage,
});

/** The record of an attempt that counts. */
export function recordOf(due: DueDelivery, conclusion: Conclusion): DeliveryRecord {
  const { outcome, push } = conclusion;
  const { state, reason, dueAt } = stateAfter(conclusion, due.attempts);
  return {
    notificationId: due.notificationId,
    deviceId: due.deviceId,
    state,
    isAttempt: true,
    // No later answer tells what came of an attempt before.
    mayBeShown: due.mayBeShown || (push !== null && mayBeShownAfter(outcome)),
    reason,
    dueAt,
    dead: deadTokenOf(due, conclusion),
    deadLetter: state === 'rejected' ? deadLetterOf(due, push) : null,
    environment: outcome.kind === 'delivered' ? outcome.environment : null,
    subscription: subscriptionChangeOf(due, conclusion),
    inPage: due.inPage,
  };
}

const deadLetterOf = (due: DueDelivery, push: OutgoingPush | null): DeadLetter => ({
  userId: due.userId,
  platform: due.platform,
  kind: due.content.kind,
  payload: push === null ? null : redactedPayload(due, push),
});

const redactedPayload = ({ platform }: DueDelivery, push: OutgoingPush): unknown =>
  redacted(payloadOf(platform, push));

function payloadOf(platform: Platform, push: OutgoingPush): unknown {
  switch (platform) {
    case 'apns':
      return apnsPayload(push);
    case 'fcm':
      return fcmData(push);
    case 'web':
      return JSON.parse(webPushPayload(push));
  }
}

function deadTokenOf(
  { platform, token, appId, databaseNow, realm }: DueDelivery,
  { outcome, isPruneAllowed, push }: Conclusion,
): DeadToken | null {
  if (outcome.kind !== 'dead_token' || !isPruneAllowed || platform === 'web') return null;
  if (push?.relayedFor !== undefined) {
    const relayed = { realmId: realm.id, tokenId: Buffer.from(token, 'base64') };
    return { platform, token: '', appId: null, since: new Date(databaseNow), relayed };
  }
  return {
    platform,
    // Client devices have tokens of Apple in the spelling of the app.
    token: platform === 'apns' ? token.toLowerCase() : token,
    appId: outcome.ofApp ? appId : null,
    since: new Date(outcome.deadSince ?? databaseNow),
  };
}
