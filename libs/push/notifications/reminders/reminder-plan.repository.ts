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

/**
 * SQL: a CTE that deletes the reminders of removed messages, if `condition`: of the accounts and the contents of removals in two lists
 * of the same length. Without any reminder it reads nothing. One that a worker has locked is settled by it.
 */
export const forgottenCte = (userIds: string, contents: string, condition: string): string => `
  forgotten AS (
    DELETE FROM push_reminders WHERE ctid = ANY(ARRAY(
      SELECT waiting.place_of_row
      FROM unnest(${userIds}::int[], ${contents}::jsonb[]) AS removal (user_id, content)
      CROSS JOIN LATERAL jsonb_array_elements_text(removal.content -> 'messageIds') AS removed (message_id)
      CROSS JOIN LATERAL (
        SELECT ctid AS place_of_row FROM push_reminders reminder
        WHERE reminder.user_id = removal.user_id AND reminder.message_id = removed.message_id::bigint
        LIMIT 1 FOR UPDATE SKIP LOCKED
      ) AS waiting
      WHERE ${condition} AND (SELECT EXISTS (SELECT FROM push_reminders))
    ))
  )`;

/**
 * SQL: a query that locks the reminders of the account $1 for which `condition` is true, in the order in which all statements lock
 * them: in any other order two statements could wait for each other.
 */
export const lockedInOrder = (condition: string): string => `
  SELECT message_id FROM push_reminders WHERE user_id = $1 AND ${condition} ORDER BY message_id FOR UPDATE`;
