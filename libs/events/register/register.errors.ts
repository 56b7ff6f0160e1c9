import { badRequest, defineErrors } from '#platform/contracts';

/** The registration of event queues. */
export const registerErrors = defineErrors({
  idleTimeoutTooSmall: badRequest(
    'idle_queue_timeout is too small',
    '`idle_queue_timeout` is less than 1.',
  ),
  invalidIdleTimeout: badRequest(
    'Invalid idle_queue_timeout',
    '`idle_queue_timeout` is neither a whole number nor `mobile`.',
  ),
  allMessagesNotAuthorized: badRequest(
    'User not authorized for this query',
    'A guest asks for the messages of all public channels.',
  ),
  operatorNotSupported: badRequest(
    'Operator {operator} not supported.',
    'A filter of events has an operator other than `channel`, `topic`, `sender` and `is`.',
  ),
  operandNotSupported: badRequest(
    'Operand {operand} not supported.',
    'A filter of events has the operator `is` with the operand `followed`.',
  ),
  invalidNarrow: badRequest(
    'Invalid narrow[{index}]: Value error, {reason}',
    'An element of `narrow` is not a pair of texts, or is negated.',
  ),
});
