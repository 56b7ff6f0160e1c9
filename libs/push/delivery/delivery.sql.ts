import { MAX_BLOCKING_ATTEMPTS } from '#push/notifications';

/** SQL: whether a pending `earlier` delivery to the same device keeps a `delivery` waiting. An urgent one passes bulk ones. */
export const KEEPS_WAITING = `
  earlier.attempts < ${MAX_BLOCKING_ATTEMPTS} AND (delivery.may_wait OR NOT earlier.may_wait)`;

/**
 * SQL: whether a `delivery` waits behind an earlier one to its device, which the worker of that one sends afterwards. A scalar
 * subquery: with statistics of an empty ledger the planner would scan it for NOT EXISTS.
 */
export const WAITS_BEHIND = `
  coalesce((
    SELECT true FROM push_deliveries earlier
    WHERE earlier.device_id = delivery.device_id AND earlier.state = 'pending'
      AND earlier.sequence < delivery.sequence AND ${KEEPS_WAITING}
    ORDER BY earlier.sequence LIMIT 1
  ), false)`;

/** SQL: whether an `earlier` delivery is at the provider. */
export const IS_ON_ITS_WAY = `earlier.reason IS NULL AND earlier.may_be_shown AND earlier.due_at > now()`;
