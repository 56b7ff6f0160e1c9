/**
 * SQL: the removals that wait for a worker, as rows of `waiting (user_id, message_ids)`. Nearly always none. The condition on a
 * positive id selects an index.
 */
export const WAITING_REMOVALS = `(
  SELECT (removal ->> 0)::int AS user_id, removal -> 1 AS message_ids
  FROM push_removal_pages page CROSS JOIN LATERAL jsonb_array_elements(page.removals) AS removal
  WHERE page.id > 0
) AS waiting`;
