import {
  ACTIVITY_JOINS,
  AWAY_FROM,
  holdSql,
  IS_AWAY,
  IS_NOTIFIABLE,
  remindsAfterSql,
  triggerSql,
  wishesJoins,
} from './decision/decision.sql.js';
import { waitingRemovals } from './removal/waiting-removals.sql.js';

/** SQL: the content of the notification of a message. `further` are names and values; a null is left out. */
export const contentSql = (
  messageId: string,
  further = '',
): string => `jsonb_strip_nulls(jsonb_build_object(
    'kind', 'message', 'messageId', ${messageId}, 'trigger', trigger,
    'groupId', CASE trigger WHEN 'group_mention' THEN group_id END${further && `, ${further}`}
  ))`;

/** Longer than workers need to decide about an account that has left. */
const MAX_DECISION_SECONDS = 10;

const IS_VIA_GROUP = '$6::jsonb ? account.id::text';

// As an array, of which the planner expects few: by its estimate for a new message it would read whole tables.
const ALL_RECEIVED = `
  (SELECT * FROM user_messages
   WHERE ctid = ANY(ARRAY(SELECT ctid FROM user_messages WHERE message_id = $3::bigint))) AS received`;

// By the key: a condition for the message alone would read the rows of all its recipients for each page of them. Reading a message
// locks its row.
const LISTED_RECEIVED = `
  (SELECT user_id FROM unnest($7::int[]) AS given (user_id) ORDER BY user_id OFFSET 0) AS listed
  CROSS JOIN LATERAL (
    SELECT * FROM user_messages
    WHERE user_id = listed.user_id AND message_id = $3::bigint
    LIMIT 1 FOR NO KEY UPDATE
  ) AS received`;

const REMOVALS = waitingRemovals('SELECT realm_id FROM messages WHERE id = $3::bigint');

/** SQL: whether a removal of the message waits for a worker. Phones would show the message twice. A new message has none. */
const IS_REMOVAL_WAITING = {
  all: 'false',
  listed: `EXISTS (SELECT FROM ${REMOVALS} WHERE waiting.message_ids @> to_jsonb($3::bigint))`,
};

/**
 * SQL: the recipients of a message who want it, with the first trigger that applies: of all, or of those of $7, whose rows it locks.
 * Presence may be written late, but a user who came back is written at once. An account that has left is notified of earlier messages
 * first: the new one waits for the decision about those, but not if no worker decides.
 */
export const recipientsSql = (of: 'all' | 'listed'): string => `
  SELECT *, hold IS NULL AND is_away AND (from_message_id IS NULL OR is_overdue)
    AND NOT ${IS_REMOVAL_WAITING[of]} AS is_now
  FROM (
    SELECT account.id AS user_id, account.realm_id, account.key_generation,
      ($6::jsonb ->> account.id::text)::int AS group_id,
      ${triggerSql(IS_VIA_GROUP)} AS trigger, ${holdSql(`(${triggerSql(IS_VIA_GROUP)})`)} AS hold,
      ${remindsAfterSql(`(${triggerSql(IS_VIA_GROUP)})`)} AS reminds_after,
      ${IS_AWAY} AS is_away, ${AWAY_FROM} AS away_from, deferral.from_message_id,
      deferral.due_at < now() - interval '${MAX_DECISION_SECONDS} s' AS is_overdue
    FROM ${of === 'all' ? ALL_RECEIVED : LISTED_RECEIVED}
    JOIN messages sent ON sent.id = $3::bigint
    JOIN users account ON account.id = received.user_id
    ${wishesJoins('$5::int')}
    ${ACTIVITY_JOINS}
    WHERE received.user_id <> $4::int AND ${IS_NOTIFIABLE} AND NOT received.is_pushed
  ) AS recipient
  WHERE trigger IS NOT NULL`;

/** SQL: those of `recipient` who are notified now. What decides the content is in `trigger` and `group_id`. */
export const WANTED_NOW = `
  SELECT user_id, realm_id, key_generation, reminds_after,
    trigger, CASE trigger WHEN 'group_mention' THEN group_id END AS group_id, user_id AS place
  FROM recipient WHERE is_now`;
