import type { DeliveryHistory, NotificationHistory } from '#push';
import type { Answer } from '../command-world.js';
import { tableOf } from '../output/table.js';
import { timeJson, timeText } from '../output/times.rules.js';

/** A notification as every answer shows it. */
export const notificationJson = (notification: NotificationHistory) => ({
  id: notification.id,
  kind: notification.kind,
  user_id: notification.userId,
  accepted_at: timeJson(notification.acceptedAt),
  expires_at: timeJson(notification.expiresAt),
  states: { ...notification.states },
  deliveries: notification.deliveries.map(deliveryJson),
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

/** What happened to notifications. */
export const historyAnswer = (notifications: readonly NotificationHistory[]): Answer => ({
  json: { notifications: notifications.map(notificationJson) },
  text: notifications.map(notificationText).join('\n\n'),
});

/** How many deliveries are in each state: `2 delivered, 1 pending`. */
export const statesText = ({ states }: NotificationHistory): string => {
  const parts = Object.entries(states).map(([state, count]) => `${count} ${state}`);
  return parts.length === 0 ? 'no devices' : parts.join(', ');
};

/** One notification with its deliveries, and what was tried before for each. */
export function notificationText(notification: NotificationHistory): string {
  const { id, kind, userId, acceptedAt, expiresAt, deliveries } = notification;
  const all = Object.values(notification.states).reduce((sum, count) => sum + count, 0);
  return [
    `${id}  ${kind} for user ${userId}: ${statesText(notification)}`,
    `accepted ${timeText(acceptedAt)}, expires ${timeText(expiresAt)} (UTC)`,
    ...(deliveries.length === 0 ? [] : [deliveryTable(deliveries)]),
    ...(deliveries.length < all ? [`${deliveries.length} of ${all} devices are shown.`] : []),
  ].join('\n');
}

const deliveryTable = (deliveries: readonly DeliveryHistory[]): string =>
  tableOf(
    ['device', 'platform', 'app', 'fingerprint', 'state', 'attempts', 'reason', 'time (UTC)'],
    deliveries.flatMap((delivery) => [
      ...delivery.history.map(({ at, reason }) => [
        '',
        '',
        '',
        '',
        'tried',
        '',
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
