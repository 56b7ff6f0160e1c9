/**
 * SQL: the removals of organisations that wait for a worker, as rows of `waiting (user_id, message_ids)`. Nearly always none.
 * `realmIds` is a query: the removals of one organisation, which may be hundreds of thousands, delay no decisions of others.
 */
export const waitingRemovals = (realmIds: string): string => `(
  SELECT (removal ->> 0)::int AS user_id, removal -> 1 AS message_ids
  FROM push_removal_pages page CROSS JOIN LATERAL jsonb_array_elements(page.removals) AS removal
  WHERE page.realm_id = ANY(ARRAY(${realmIds}))
) AS waiting`;
