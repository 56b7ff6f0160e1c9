import { negotiate } from '@fastify/accept-negotiator';
import {
  type ApiError,
  type BodyEncoding,
  bodyEncodings,
  successEnvelope,
  successEnvelopeOf,
} from '#platform/contracts';
import { JsonBytes } from './sliced-json.js';

/** The body of a successful response: the envelope, the ignored parameters if any, and the fields. */
export function successBody(fields: unknown, ignored: readonly string[]): string | JsonBytes {
  if (fields instanceof JsonBytes) {
    return new JsonBytes(successEnvelopeOf(fields.parts, ignored));
  }
  const text = fields instanceof JsonText ? fields.text : JSON.stringify(fields ?? {});
  return successEnvelope(text, ignored);
}

/** Whether an answer is an object with fields, whose JSON is still to be made. */
export const isPlainAnswer = (answer: unknown): answer is object =>
  typeof answer === 'object' &&
  answer !== null &&
  Object.getPrototypeOf(answer) === Object.prototype;

/** The body of an error response. */
export const errorBody = (error: ApiError): string =>
  `${JSON.stringify({ result: 'error', msg: error.message, code: error.error.code, ...error.fields })}\n`;

/** The JSON text of an object, which is not encoded again. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** A compressed body of a whole successful response, which is sent unchanged. */
export class CompressedResponse {
  constructor(
    readonly encoding: BodyEncoding,
    readonly body: Buffer | JsonBytes,
    /** The length of the body before it was compressed, if it is known. */
    readonly plainBytes: number = body.length,
  ) {}
}

/**
 * The best of the offered encodings for an Accept-Encoding header (RFC 9110, 12.5.3); null if the client accepts none or
 * prefers `identity`. Among equals the first offered one wins.
 */
export function acceptedEncoding(
  acceptEncoding: string | undefined,
  offered: readonly BodyEncoding[] = bodyEncodings,
): BodyEncoding | null {
  if (acceptEncoding === undefined) return null;
  // A client may prefer `identity`.
  const taken = negotiate(acceptEncoding.toLowerCase(), [...offered, 'identity' as const]);
  return taken === 'identity' ? null : taken;
}
