/** The exit codes, which docs/command-line.md documents. */
export const exitCodes = { done: 0, failed: 1, wrongUse: 2 } as const;

/** The reason of a failure. Scripts rely on the codes, so a code is never renamed. */
type FailureCode =
  | 'wrong_use'
  | 'not_configured'
  | 'database_unreachable'
  | 'database_outdated'
  | 'redis_unreachable'
  | 'took_too_long'
  | 'unknown_user'
  | 'ambiguous_user'
  | 'unknown_device'
  | 'unknown_organisation'
  | 'no_device'
  | 'not_found'
  | 'refused'
  | 'unexpected';

/** A command failed; the message says what the user can do. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';

  constructor(
    readonly code: FailureCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  get exitCode(): number {
    return this.code === 'wrong_use' ? exitCodes.wrongUse : exitCodes.failed;
  }
}

/** The failure for an invalid command line. */
export const wrongUse = (message: string): CommandFailure =>
  new CommandFailure('wrong_use', message);
