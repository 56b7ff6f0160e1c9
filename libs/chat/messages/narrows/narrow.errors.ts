import { badRequest, defineErrors } from '#platform/contracts';

const badNarrow = (msg: string, when: string) =>
  ({ code: 'BAD_NARROW', status: 400, msg, when }) as const;

/** Errors of the filters of messages. */
export const narrowErrors = defineErrors({
  badNarrow: badNarrow(
    'Invalid narrow operator: {desc}',
    'A term of `narrow` has an unknown operator or operand, or names a channel or a user that the caller cannot see; `desc` is the reason.',
  ),
  badNarrowCombination: badNarrow(
    'Invalid narrow operator combination: {desc}',
    'Terms of `narrow` exclude each other; `desc` is the reason.',
  ),
  narrowTooExpensive: {
    code: 'NARROW_TOO_EXPENSIVE',
    status: 400,
    msg: 'The messages could not be found in time. Please narrow the search.',
    when: 'The database took too long to find the messages of a `narrow`.',
  },
  invalidTerm: badRequest(
    'Invalid narrow[{index}]: Value error, {reason}',
    'An element of `narrow` is neither a pair of texts nor an object with an operator and an operand.',
  ),
});
