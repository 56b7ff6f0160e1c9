import { idIn, mayConcern, pageIdOf, stateAt } from '#push/notifications';

/** The most deliveries of a notification that are read. */
export const MAX_DELIVERIES = 100;

/** SQL: the delivery at a place of a page, with the columns of push_deliveries. */
const PLACE_COLUMNS = `
  shared.device_ids[place] AS device_id, shared.platform,
  CASE ${stateAt('shared', 'place')}
    WHEN 'p' THEN 'pending' WHEN 'd' THEN 'delivered' WHEN 'w' THEN 'withdrawn'
    WHEN 'e' THEN 'expired' WHEN 'r' THEN 'revoked'
  END AS state,
  CASE WHEN ${stateAt('shared', 'place')} = 'd' THEN 1 ELSE 0 END::smallint AS attempts,
  NULL::text AS reason, NULL::jsonb AS history, shared.due_at, shared.updated_at, NULL::text AS fingerprint,
  shared.sequence`;

/** SQL: the deliveries of a notification, those of pages too. Those with rows of their own are not of the page any more. */
const deliveriesOf = (id: string): string => `(
  SELECT device_id, platform, state, attempts, reason, history, due_at, updated_at, fingerprint, sequence
  FROM push_deliveries WHERE notification_id = ${id}
  UNION ALL
  SELECT ${PLACE_COLUMNS}
  FROM push_pages shared CROSS JOIN LATERAL generate_subscripts(shared.device_ids, 1) AS place
  WHERE shared.notification_id = ${id} AND ${stateAt('shared', 'place')} <> 'o'
  UNION ALL
  SELECT ${PLACE_COLUMNS}
  FROM push_pages shared CROSS JOIN LATERAL generate_subscripts(shared.device_ids, 1) AS place
  WHERE shared.id = ${pageIdOf(id)} AND shared.notification_id IS NULL
    AND shared.user_ids[place] = shared.user_ids[('x' || right(${id}::text, 4))::bit(16)::int]
    AND ${stateAt('shared', 'place')} <> 'o'
)`;

// Reads deliveries only for the limited page. An unsent delivery has no fingerprint yet: it comes from its device.
const historiesOf = (page: string, only = 'true'): string => `
  WITH page AS (${page})
  SELECT page.*, sums.states, delivery.*
  FROM page
  CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_object_agg(state, deliveries), '{}') AS states FROM (
      SELECT state, count(*)::int AS deliveries FROM ${deliveriesOf('page.id')} AS of_notification
      GROUP BY state
    ) AS of_state
  ) AS sums
  LEFT JOIN LATERAL (
    SELECT sent.device_id, sent.platform,
      coalesce(device.app_id, split_part(subscription.endpoint, '/', 3)) AS app_id,
      sent.state, sent.attempts, sent.reason, sent.history, sent.due_at, sent.updated_at,
      coalesce(sent.fingerprint, left(encode(device.token_digest, 'hex'), 12)) AS fingerprint
    FROM ${deliveriesOf('page.id')} AS sent
    LEFT JOIN push_devices device ON device.id = sent.device_id
    LEFT JOIN web_push_subscriptions subscription ON subscription.id = sent.device_id
    WHERE ${only}
    ORDER BY sent.device_id LIMIT ${MAX_DELIVERIES}
  ) AS delivery ON true
  ORDER BY page.accepted_at DESC, page.id, delivery.device_id`;

const columnsOf = ({
  id = 'id',
  kind = 'kind',
  userId = 'user_id',
} = {}): string => `${id} AS id, ${kind} AS kind, ${userId} AS user_id, accepted_at, expires_at, CASE ${kind}
  WHEN 'message' THEN jsonb_build_array(content -> 'messageId')
  WHEN 'remove' THEN coalesce(content -> 'messageIds', '[]')
  ELSE '[]' END AS message_ids`;

const COLUMNS = columnsOf();

/** SQL: the notifications of pages without rows of their own: those of `account` in each `page`. */
const pagedOf = (account: string, condition: string): string => `
  SELECT ${columnsOf({ id: idIn('page', account), kind: `page.content ->> 'kind'`, userId: account })}
  FROM push_pages page
  WHERE page.notification_id IS NULL AND array_position(page.user_ids, ${account}) IS NOT NULL
    AND ${condition} AND NOT EXISTS (
      SELECT FROM push_notifications known WHERE known.id = ${idIn('page', account)}
    )`;

const ANY_MESSAGE = [`'-infinity'`, `'infinity'`] as const;

/** SQL: a notification by its id, $1. */
export const BY_ID = historiesOf(`
  SELECT ${COLUMNS} FROM push_notifications WHERE id = $1
  UNION ALL
  SELECT ${columnsOf({
    id: '$1',
    kind: `page.content ->> 'kind'`,
    userId: `page.user_ids[('x' || right($1::text, 4))::bit(16)::int]`,
  })}
  FROM push_pages page
  WHERE page.id = ${pageIdOf('$1::uuid')} AND page.notification_id IS NULL
    AND ('x' || right($1::text, 4))::bit(16)::int BETWEEN 1 AND cardinality(page.user_ids)
    AND NOT EXISTS (SELECT FROM push_notifications WHERE id = $1)`);

/** SQL: those of the account $1, at most $2. */
export const BY_USER = historiesOf(`
  SELECT * FROM (
    (SELECT ${COLUMNS} FROM push_notifications WHERE user_id = $1 ORDER BY accepted_at DESC LIMIT $2)
    UNION ALL
    (${pagedOf('$1::int', mayConcern('page', '$1', ...ANY_MESSAGE))} ORDER BY accepted_at DESC LIMIT $2)
  ) AS notification ORDER BY accepted_at DESC LIMIT $2`);

/** SQL: those of the account $1 that show or remove the message $2, at most $3. */
export const BY_MESSAGE = historiesOf(`
  SELECT * FROM (
    SELECT ${COLUMNS} FROM push_notifications
    WHERE user_id = $1 AND (
      kind = 'message' AND content -> 'messageId' = to_jsonb($2::bigint)
      OR kind = 'remove' AND content -> 'messageIds' @> to_jsonb($2::bigint)
    )
    UNION ALL
    ${pagedOf('$1::int', mayConcern('page', '$1', '$2', '$2'))}
  ) AS notification ORDER BY accepted_at DESC LIMIT $3`);

/** The fingerprint also finds earlier devices of a token that was registered again. */
const ON_THESE_DEVICES = '(sent.device_id = ANY($2::int[]) OR sent.fingerprint = $3)';

/** SQL: those of the accounts $1 to the devices $2 or the fingerprint $3, at most $4. */
export const BY_KNOWN_DEVICES = historiesOf(
  `SELECT * FROM (
     SELECT ${COLUMNS} FROM push_notifications notification
     WHERE user_id = ANY($1::int[]) AND EXISTS (
       SELECT FROM ${deliveriesOf('notification.id')} AS sent WHERE ${ON_THESE_DEVICES}
     )
     UNION ALL
     SELECT paged.* FROM unnest($1::int[]) AS owner (id) CROSS JOIN LATERAL (
       ${pagedOf('owner.id', `${mayConcern('page', 'owner.id', ...ANY_MESSAGE)} AND page.device_ids && $2::int[]`)}
     ) AS paged
   ) AS notification ORDER BY accepted_at DESC LIMIT $4`,
  ON_THESE_DEVICES,
);

const byColumn = (condition: string): string =>
  historiesOf(
    `SELECT ${COLUMNS} FROM push_notifications WHERE id IN (
       SELECT sent.notification_id FROM push_deliveries sent
       WHERE ${condition} ORDER BY sent.sequence DESC LIMIT $2
     )`,
    condition,
  );

/** SQL: those to the device $1, at most $2. The account of a device that is gone is not known: all pages are read. */
export const BY_REMOVED_DEVICE = historiesOf(
  `SELECT ${COLUMNS} FROM push_notifications WHERE id IN (
     SELECT sent.notification_id FROM push_deliveries sent
     WHERE sent.device_id = $1 ORDER BY sent.sequence DESC LIMIT $2
   )
   UNION ALL
   SELECT paged.* FROM (
     SELECT page.id, page.user_ids[array_position(page.device_ids, $1::int)] AS user_id
     FROM push_pages page WHERE page.device_ids @> ARRAY[$1::int]
     ORDER BY page.id DESC LIMIT $2
   ) AS found CROSS JOIN LATERAL (
     ${pagedOf('found.user_id', 'page.id = found.id')}
   ) AS paged`,
  'sent.device_id = $1',
);
/** SQL: those to the fingerprint $1, at most $2. */
export const BY_REMOVED_FINGERPRINT = byColumn('sent.fingerprint = $1');
