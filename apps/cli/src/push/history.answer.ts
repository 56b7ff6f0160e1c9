import { shortList } from '#platform/core';
import type { DeliveryHistory, NotificationHistory, NotificationReceipt } from '#push/admin';
import type { Answer } from '../command-context.js';
import { tableOf } from '../output/table.js';
import { timeJson, timeText } from '../output/times.rules.js';

/** A notification in JSON output. */
export const notificationJson = (notification: NotificationHistory) => ({
  id: notification.id,
  kind: notification.kind,
  user_id: notification.userId,
  message_ids: [...notification.messageIds],
  accepted_at: timeJson(notification.acceptedAt),
  expires_at: timeJson(notification.expiresAt),
  states: { ...notification.states },
  deliveries: notification.deliveries.map(deliveryJson),
  receipts: notification.receipts.map(receiptJson),
});

const receiptJson = (receipt: NotificationReceipt) => ({
  device_id: receipt.deviceId,
  received_at: timeJson(receipt.receivedAt),
  displayed_at: timeJson(receipt.displayedAt),
  opened_at: timeJson(receipt.openedAt),
  dismissed_at: timeJson(receipt.dismissedAt),
});

const deliveryJson = (delivery: DeliveryHistory) => ({
  device_id: delivery.deviceId,
  platform: delivery.platform,
  app_id: delivery.appId,
  fingerprint: delivery.fingerprint,
  state: delivery.state,
  attempts: delivery.attempts,
  reason: delivery.reason,
  due_at: timeJson(delivery.dueAt),
  ended_at: timeJson(delivery.endedAt),
  history: delivery.history.map(({ at, reason, next }) => ({
    at: timeJson(at),
    reason,
    next: timeJson(next),
  })),
});

/** The output for the history of notifications. */
export const historyAnswer = (notifications: readonly NotificationHistory[]): Answer => ({
  json: { notifications: notifications.map(notificationJson) },
  text: notifications.map(notificationText).join('\n\n'),
});

/** The number of deliveries by state: `2 delivered, 1 pending`. */
export const statesText = ({ states }: NotificationHistory): string => {
  const parts = Object.entries(states).map(([state, count]) => `${count} ${state}`);
  return parts.length === 0 ? 'no devices' : parts.join(', ');
};

/** A notification with its deliveries and their earlier attempts. */
export function notificationText(notification: NotificationHistory): string {
  const { id, kind, userId, messageIds, acceptedAt, expiresAt, deliveries } = notification;
  const all = Object.values(notification.states).reduce((sum, count) => sum + count, 0);
  return [
    `${id}  ${kind}${messagesText(messageIds)} for user ${userId}: ${statesText(notification)}`,
    `accepted ${timeText(acceptedAt)}, expires ${timeText(expiresAt)} (UTC)`,
    ...(deliveries.length === 0 ? [] : [deliveryTable(deliveries)]),
    ...meaningsOf(deliveries),
    ...notification.receipts.map((receipt) => receiptText(receipt, acceptedAt)),
    ...(deliveries.length < all ? [`${deliveries.length} of ${all} devices are shown.`] : []),
  ].join('\n');
}

/** What a phone has told: `device 7: received after 0.4 s, opened after 12 s`. */
function receiptText(receipt: NotificationReceipt, acceptedAt: Date): string {
  const events = [
    ['received', receipt.receivedAt],
    ['displayed', receipt.displayedAt],
    ['opened', receipt.openedAt],
    ['dismissed', receipt.dismissedAt],
  ] as const;
  const told = events.flatMap(([event, at]) =>
    at === null ? [] : [`${event} after ${secondsText(at.getTime() - acceptedAt.getTime())}`],
  );
  const phone = receipt.deviceId === null ? 'a phone' : `device ${receipt.deviceId}`;
  return `${phone} says: ${told.join(', ')}`;
}

const secondsText = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

const MAX_MESSAGES = 5;

/** The messages of a notification: ` of message 5`, ` of messages 5, 6`; empty for a test. */
function messagesText(ids: readonly number[]): string {
  if (ids.length === 0) return '';
  return ` of ${ids.length === 1 ? 'message' : 'messages'} ${shortList(ids, MAX_MESSAGES)}`;
}

/** Explanations of the states whose names are not clear. */
const MEANINGS: Partial<Record<DeliveryHistory['state'], string>> = {
  dead_token: 'the provider has invalidated the token; the phone must register again',
  rejected: 'the provider refused the message; `carillon dead-letters list` has it',
  expired: 'it waited longer than its time to live and was not sent late',
  revoked: 'the phone was removed, or its account logged out, before sending',
  withdrawn: 'its message was read or gone before sending',
};

const meaningsOf = (deliveries: readonly DeliveryHistory[]): string[] =>
  [...new Set(deliveries.map(({ state }) => state))].flatMap((state) => {
    const meaning = MEANINGS[state];
    return meaning === undefined ? [] : [`${state}: ${meaning}.`];
  });

const deliveryTable = (deliveries: readonly DeliveryHistory[]): string =>
  tableOf(
    ['device', 'platform', 'app', 'fingerprint', 'state', 'attempts', 'reason', 'time (UTC)'],
    deliveries.flatMap((delivery) => [
      ...delivery.history.map(({ at, reason }) => [
        delivery.deviceId,
        delivery.platform,
        delivery.appId,
        delivery.fingerprint,
        'not taken',
        null,
        reason,
        timeText(at),
      ]),
      [
        delivery.deviceId,
        delivery.platform,
        delivery.appId,
        delivery.fingerprint,
        delivery.state,
        delivery.attempts,
        delivery.reason,
        delivery.endedAt === null ? `due ${timeText(delivery.dueAt)}` : timeText(delivery.endedAt),
      ],
    ]),
  );
