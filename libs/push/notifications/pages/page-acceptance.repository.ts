import { DEVICES_PER_PAGE, LEAST_PAGE } from './page.rules.js';

/** SQL: the platforms of phones. Others have rows of their own. */
const PAGED_PLATFORMS = `'apns', 'fcm'`;

/** SQL: a new id of a page. */
const NEW_PAGE_ID = `(
  lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || '7'
  || substr(replace(gen_random_uuid()::text, '-', ''), 14, 15) || '0000'
)::uuid`;

/**
 * SQL: CTEs that put deliveries into pages. `target` has their rows: user_id, device_id, realm_id, platform, and what
 * `together` names, by which no page is mixed. Those of few deliveries, and those with `isAlone`, stay for rows of their own: `single`.
 * `content`, `expiresAt`, `traceParent` and `notificationId` are expressions of these.
 */
export const pagedCtes = (
  target: string,
  {
    together,
    isAlone = 'false',
    content,
    expiresAt,
    traceParent,
    notificationId = 'NULL::uuid',
  }: {
    readonly together: string;
    readonly isAlone?: string;
    readonly content: string;
    readonly expiresAt: string;
    readonly traceParent: string;
    readonly notificationId?: string;
  },
): string => `
  counted AS MATERIALIZED (
    SELECT ${target}.*,
      CASE WHEN platform IN (${PAGED_PLATFORMS}) AND NOT (${isAlone})
        THEN count(*) OVER (PARTITION BY ${together}) ELSE 0 END AS of_these,
      (row_number() OVER (PARTITION BY ${together} ORDER BY user_id, device_id) - 1)
        / ${DEVICES_PER_PAGE} AS page
    FROM ${target}
  ),
  single AS (SELECT * FROM counted WHERE of_these < ${LEAST_PAGE}),
  paged AS (
    INSERT INTO push_pages (
      id, notification_id, realm_id, platform, content, expires_at, trace_parent, user_ids, device_ids, states
    )
    SELECT ${NEW_PAGE_ID}, ${notificationId}, min(realm_id), min(platform), ${content},
      ${expiresAt}, ${traceParent},
      array_agg(user_id ORDER BY user_id, device_id), array_agg(device_id ORDER BY user_id, device_id),
      repeat('p', count(*)::int)
    FROM counted WHERE of_these >= ${LEAST_PAGE}
    GROUP BY ${together}, page
    RETURNING id, notification_id, realm_id, platform, user_ids, device_ids
  )`;
