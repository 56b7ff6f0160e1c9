/**
 * What to tell an operator of what was thrown. A connection that was tried at several addresses fails
 * with one error for each and no text of its own.
 */
export function errorText(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '') {
    return thrown.errors.map(errorText).join('; ');
  }
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The code of what the system or a store has thrown; undefined when there is none. */
export const errorCode = (thrown: unknown): unknown =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
