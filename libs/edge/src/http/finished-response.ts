import type { BodyEncoding } from '#contracts';

/** The body of a whole successful response, made and compressed elsewhere: it is sent as it is. */
export class FinishedResponse {
  constructor(
    readonly encoding: BodyEncoding,
    readonly body: Buffer,
  ) {}
}
