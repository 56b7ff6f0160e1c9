import { MAX_WAITING } from './reminders.rules.js';

/**
 * SQL: a CTE that plans the first reminders of the notifications in `target (user_id, id, reminds_after, takes_reminders, ...)`;
 * `messageId` is an expression of these. An account with many that wait gets no further one. A message that was taken back and
 * is notified again keeps the number of its reminders.
 */
export const remindedCte = (target: string, messageId: string): string => `
  reminded AS (
    INSERT INTO push_reminders (user_id, message_id, notification_id, due_at)
    SELECT user_id, message_id, id, now() + make_interval(secs => reminds_after)
    FROM (
      SELECT DISTINCT user_id, ${messageId} AS message_id, id, reminds_after FROM ${target}
      WHERE reminds_after IS NOT NULL AND takes_reminders
    ) AS notified
    WHERE ${MAX_WAITING} > (
      SELECT count(*) FROM (
        SELECT FROM push_reminders waiting WHERE waiting.user_id = notified.user_id LIMIT ${MAX_WAITING}
      ) AS waiting
    )
    ORDER BY user_id, message_id
    ON CONFLICT (user_id, message_id) DO UPDATE
    SET notification_id = excluded.notification_id, due_at = excluded.due_at, is_held = false
  )`;
