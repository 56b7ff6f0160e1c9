import type { ApiError } from '#contracts';

/** An error as the library takes it from a hook. */
export interface TusRefusal {
  readonly status_code: number;
  readonly body: string;
}

/** Thrown inside the library, which answers with it. */
export class TusError extends Error implements TusRefusal {
  override readonly name = 'TusError';
  readonly body: string;

  constructor(
    readonly status_code: number,
    message: string,
  ) {
    super(message);
    this.body = refusalBody(message);
  }
}

export const refusalBody = (message: string): string => JSON.stringify({ message });

/** What of an error of ours clients of the protocol are told: they try 400 again, and 413 not. */
export const tusErrorOf = (error: ApiError): TusError =>
  new TusError(error.error.status === 400 ? 413 : error.error.status, error.message);
