import { ApiError } from '#platform/contracts';
import type { QueueOptions } from '#events/declarations';
import { registerErrors } from './register.errors.js';

/** The length of the longest email address, in UTF-16 units. */
export const LONGEST_TERM = 254;

/** The name that queues have, by each name of an operator in lower case. */
const operators: Readonly<Record<string, string>> = {
  channel: 'channel',
  stream: 'channel',
  topic: 'topic',
  sender: 'sender',
  is: 'is',
};

/** The filter of a queue for messages. Throws ApiError for another shape, and for an unsupported operator or operand. */
export function narrowOf(given: readonly unknown[]): QueueOptions['narrow'] {
  return given.map((term, index) => {
    const [operator, operand] = pairOf(term, index);
    const name = operator.toLowerCase();
    const known = Object.hasOwn(operators, name) ? operators[name] : undefined;
    if (known === undefined) throw new ApiError(registerErrors.operatorNotSupported, { operator });
    if (known === 'is' && operand === 'followed') {
      throw new ApiError(registerErrors.operandNotSupported, { operand });
    }
    return [known, operand];
  });
}

function pairOf(term: unknown, index: number): readonly [string, string] {
  const refuse = (reason: string) => new ApiError(registerErrors.invalidNarrow, { index, reason });
  if (Array.isArray(term)) {
    const [operator, operand] = term as unknown[];
    if (term.length !== 2 || !isTerm(operator) || !isTerm(operand)) {
      throw refuse('element is not a string pair');
    }
    return [operator, operand];
  }
  if (typeof term !== 'object' || term === null) throw refuse('dict or list required');
  const { operator, operand, negated = false } = term as Partial<Record<string, unknown>>;
  if (operator === undefined) throw refuse('operator is missing');
  if (operand === undefined) throw refuse('operand is missing');
  if (!isTerm(operator) || !isTerm(operand)) throw refuse('element is not a string pair');
  if (negated !== false) throw refuse('negated is not supported');
  return [operator, operand];
}

const isTerm = (given: unknown): given is string =>
  typeof given === 'string' && given.length <= LONGEST_TERM;
