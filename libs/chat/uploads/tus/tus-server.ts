import { Server } from '@tus/server';
import type { ApiError } from '#platform/contracts';

/** The statuses that the protocol requires for some errors, by the messages of the library. */
const statuses: readonly (readonly [RegExp, number])[] = [
  [/^Invalid .*tus-resumable/, 412],
  [/^(?:Invalid content-type|Content-Type header required)$/, 415],
];

/** Corrects the statuses of the library, and adds the header of JSON responses. */
export class TusServer extends Server {
  override write(...[context, headers, given, body = '']: Parameters<Server['write']>) {
    const [, status = given] = statuses.find(([message]) => message.test(body.trimEnd())) ?? [];
    if (status === 412) headers.set('Tus-Version', '1.0.0');
    if (body.startsWith('{')) headers.set('Content-Type', 'application/json');
    return super.write(context, headers, status, body);
  }
}

/** An error response of the library. */
export interface TusErrorResponse {
  readonly status_code: number;
  readonly body: string;
}

/** The library responds with this error when a hook throws it. */
export class TusError extends Error implements TusErrorResponse {
  override readonly name = 'TusError';
  readonly body: string;

  constructor(
    readonly status_code: number,
    message: string,
  ) {
    super(message);
    this.body = JSON.stringify({ message });
  }
}

/** The statuses of refusals that end with time. */
const PASSING: ReadonlySet<number> = new Set([408, 429, 503]);

/**
 * The status of a refusal. When clients of the protocol ask for the offset of an upload, they ask again after 423 only: after any
 * other refusal they send the file from its first byte.
 */
export const refusalStatus = ({ error: { status } }: ApiError, method: string): number =>
  method === 'HEAD' && PASSING.has(status) ? 423 : status;

/** Converts an ApiError. Clients of the protocol retry after 400, but not after 413. */
export function tusErrorOf(error: ApiError, method: string): TusError {
  const status = refusalStatus(error, method);
  return new TusError(status === 400 ? 413 : status, error.message);
}
