/**
 * SQL: the accounts of a page, as a line from the first to the last one at the height of its organisation. The expression of an
 * index.
 */
export const accountsOf = (page: string): string => `box(
  point(${page}.user_ids[1], ${page}.realm_id),
  point(${page}.user_ids[cardinality(${page}.user_ids)], ${page}.realm_id)
)`;

/** SQL: whether a page is open, for statements that find it by its accounts. The condition of the index, and of no other. */
export const isOpenOf = (page: string): string => `${page}.is_open::int = 1`;

/** SQL: the line of one account. */
export const accountOf = (userId: string, realmId: string): string =>
  `box(point(${userId}, ${realmId}), point(${userId}, ${realmId}))`;

const messageOf = (page: string): string =>
  `coalesce((${page}.content ->> 'messageId')::float8, 0)`;

/** SQL: a page as a line from its first account to its last one, at the height of its message. The expression of an index. */
const lineOf = (page: string): string => `box(
  point(${page}.user_ids[1], ${messageOf(page)}),
  point(${page}.user_ids[cardinality(${page}.user_ids)], ${messageOf(page)})
)`;

/** SQL: whether a page may have deliveries of an account, of messages in a range. */
export const mayConcern = (page: string, userId: string, lowest: string, highest: string): string =>
  `${lineOf(page)} && box(point(${userId}, ${lowest}), point(${userId}, ${highest}))`;

/** SQL: of pages that may have deliveries of an account, how far a message is from theirs. The index knows this order. */
export const distanceTo = (page: string, userId: string, messageId: string): string =>
  `${lineOf(page)} <-> point(${userId}, ${messageId})`;

/** SQL: the letter of a place in the states of a page. */
export const stateAt = (page: string, place: string): string =>
  `substr(${page}.states, ${place}::int, 1)`;

/** SQL: the id of the notification of an account in a page; see notificationIdAt. */
export const idIn = (page: string, userId: string): string => `coalesce(${page}.notification_id, (
  left(${page}.id::text, 32) || lpad(to_hex(array_position(${page}.user_ids, ${userId})), 4, '0')
)::uuid)`;

/** SQL: the id of the page of a notification without a row. */
export const pageIdOf = (id: string): string => `(left(${id}::text, 32) || '0000')::uuid`;
