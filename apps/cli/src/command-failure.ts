/** Exit codes, as docs/command-line.md promises them. */
export const exitCodes = { done: 0, failed: 1, wrongUse: 2 } as const;

/** Why a command did not do what it was asked for. Codes are a promise to scripts, and never renamed. */
export type FailureCode =
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

/** A command failed; the message is for people and says what to do. */
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

/** What was typed cannot be meant. */
export const wrongUse = (message: string): CommandFailure =>
  new CommandFailure('wrong_use', message);
