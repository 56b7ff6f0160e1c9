import { contentSql } from '../recipients.sql.js';
import { waitingRemovals } from '../removal/waiting-removals.sql.js';
import {
  holdSql,
  IS_NOTIFIABLE,
  isReminded,
  remindsAfterSql,
  triggerSql,
  wishesJoins,
} from './decision.sql.js';

const IS_GROUP_CANDIDATE = 'candidate.group_id IS NOT NULL';

const REMOVALS = waitingRemovals('SELECT DISTINCT realm_id FROM users WHERE id = ANY($3::int[])');

/**
 * SQL: the messages to decide about, $3 to $7, with their trigger and hold; of those with `replaces` the account is reminded. Rows
 * that a concurrent transaction reads or edits are skipped, and decided in a later pass: waiting for them could deadlock. So are
 * messages whose removal from the phones waits: OFFSET has those hashed, and not read again for each message. LIMIT has each row
 * looked up by its key.
 */
export const CANDIDATES = `
  SELECT account.id AS user_id, account.realm_id, account.key_generation,
    received.message_id, candidate.group_id, candidate.is_caught_up, candidate.replaces,
    sent.channel_id, sent.conversation_id, lower(sent.topic) AS topic_key,
    CASE WHEN ${IS_NOTIFIABLE} THEN ${triggerSql(IS_GROUP_CANDIDATE)} END AS trigger,
    ${holdSql(`(${triggerSql(IS_GROUP_CANDIDATE)})`)} AS hold,
    CASE WHEN candidate.replaces IS NULL THEN ${remindsAfterSql(`(${triggerSql(IS_GROUP_CANDIDATE)})`)} END AS reminds_after
  FROM (
    SELECT * FROM unnest($3::int[], $4::bigint[], $5::int[], $6::boolean[], $7::uuid[])
      AS given (user_id, message_id, group_id, is_caught_up, replaces)
    WHERE NOT EXISTS (
      SELECT FROM ${REMOVALS}
      WHERE waiting.user_id = given.user_id AND waiting.message_ids @> to_jsonb(given.message_id)
    )
    ORDER BY user_id, message_id OFFSET 0
  ) AS candidate
  CROSS JOIN LATERAL (
    SELECT * FROM user_messages
    WHERE user_id = candidate.user_id AND message_id = candidate.message_id
    LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
  ) AS received
  JOIN messages sent ON sent.id = candidate.message_id
  JOIN users account ON account.id = candidate.user_id
  ${wishesJoins()}
  WHERE NOT received.is_read AND received.is_pushed = (candidate.replaces IS NOT NULL)`;

/** The notifications of an account after a quiet time, for one conversation each. */
const MAX_CAUGHT_UP = 10;

/** SQL: true for all notifications of an account after a quiet time but the first one: this draws attention to all. */
const IS_PASSIVE = `
    CASE WHEN is_caught_up AND message_id > min(message_id) OVER (PARTITION BY user_id) THEN true END`;

/**
 * SQL: those of `candidate` that are notified. After a quiet time the newest message stands for its conversation, and the newest
 * conversations for all.
 */
export const WANTED_CANDIDATES = `
  SELECT user_id, realm_id, key_generation, reminds_after, replaces,
    ${contentSql('message_id', `'replaces', replaces, 'isPassive', ${IS_PASSIVE}`)} AS content, message_id AS place
  FROM (
    SELECT *, row_number() OVER (PARTITION BY user_id, is_newest ORDER BY message_id DESC) AS place_of_newest
    FROM (
      SELECT *, message_id = max(message_id) OVER (
        PARTITION BY user_id, channel_id, conversation_id, topic_key
      ) AS is_newest
      FROM candidate
      WHERE trigger IS NOT NULL AND hold IS NULL AND (replaces IS NULL OR ${isReminded('trigger')})
    ) AS wanted
  ) AS ranked
  WHERE NOT is_caught_up OR is_newest AND place_of_newest <= ${MAX_CAUGHT_UP}`;

/**
 * SQL: a CTE that marks messages as notified, in rows of `user_messages` that the transaction has written or locked. `notified` is a
 * query of their keys: a locked row may be newer than what the statement sees, and only an update by the key follows it. OFFSET: each
 * is looked up by its whole key.
 */
export const markedCte = (notified: string): string => `
  marked AS (
    UPDATE user_messages received SET is_pushed = true FROM (${notified} OFFSET 0) AS notified
    WHERE received.user_id = notified.user_id AND received.message_id = notified.message_id
  )`;

/** SQL: a CTE that marks messages as pushed. Those that others stand for count as well: no later decision is to notify of them. */
export const MARKED_CANDIDATES = markedCte(`
  SELECT user_id, message_id FROM candidate
  WHERE trigger IS NOT NULL AND hold IS NULL AND replaces IS NULL
    AND user_id = ANY(ARRAY(SELECT DISTINCT user_id FROM target))`);
