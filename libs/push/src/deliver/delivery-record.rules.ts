import type { DueDelivery } from './delivery.repository.js';
import type { DeadToken, DeliveryRecord } from './delivery-record.repository.js';
import type { Outcome } from './outcome-policy.rules.js';

/** Against a provider that never has a better answer; a notification mostly expires before. */
const MOST_ATTEMPTS = 200;

/** Nothing but where it belongs and how it stands. */
export const plainRecord = (
  { notificationId, deviceId }: Pick<DueDelivery, 'notificationId' | 'deviceId'>,
  state: DeliveryRecord['state'],
): DeliveryRecord => ({
  notificationId,
  deviceId,
  state,
  isAttempt: false,
  reason: null,
  dueAt: null,
  dead: null,
  deadLetter: null,
  environment: null,
});

/** What the ledger says of a delivery that its provider was asked about. */
export interface Settled {
  readonly due: DueDelivery;
  readonly outcome: Exclude<Outcome, { kind: 'config_fault' }>;
  /** When the next attempt is, if there is one. */
  readonly nextAt: number;
  /** Whether a token that is called dead may be removed. */
  readonly mayPrune: boolean;
  /** What was sent, without its texts. */
  readonly redactedPayload: () => unknown;
}

/** The record of an attempt that counts. */
export function recordOf({
  due,
  outcome,
  nextAt,
  mayPrune,
  redactedPayload,
}: Settled): DeliveryRecord {
  const record = { ...plainRecord(due, 'pending'), isAttempt: true };
  const rejected = (reason: string): DeliveryRecord => ({
    ...record,
    state: 'rejected',
    reason,
    deadLetter: {
      userId: due.userId,
      platform: due.platform,
      kind: due.content.kind,
      payload: redactedPayload(),
    },
  });
  switch (outcome.kind) {
    case 'delivered':
      return { ...record, state: 'delivered', environment: outcome.environment };
    case 'dead_token':
      return {
        ...record,
        state: 'dead_token',
        reason: outcome.reason,
        dead: mayPrune ? deadTokenOf(due, outcome) : null,
      };
    case 'message_fault':
      return rejected(outcome.reason);
    case 'retry':
      return due.attempts + 1 < MOST_ATTEMPTS
        ? { ...record, reason: outcome.reason, dueAt: new Date(nextAt) }
        : rejected(outcome.reason);
  }
}

function deadTokenOf(
  due: DueDelivery,
  outcome: Extract<Outcome, { kind: 'dead_token' }>,
): DeadToken {
  const { platform, token, appId, readAt } = due;
  return {
    platform,
    token,
    appId: outcome.ofApp ? appId : null,
    since: new Date(outcome.deadSince ?? readAt),
  };
}
