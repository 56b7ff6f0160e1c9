import type { BodyEncoding } from '#platform/contracts';
import { successEnvelope } from '#platform/contracts';
import { compress } from '#platform/core';
import { FinishedResponse, JsonText } from './response-body.rules.js';

/** Smaller answers fit into one packet, so that compression gains nothing. */
const SMALLEST_CHARACTERS = 1400;

/**
 * The fields of a response that may be large: compressed for a client that accepts the encoding of `AcceptedEncoding`,
 * otherwise as text.
 */
export async function compressedAnswer(
  fields: object,
  encoding: BodyEncoding | null,
): Promise<FinishedResponse | JsonText> {
  const text = JSON.stringify(fields);
  if (encoding === null || text.length < SMALLEST_CHARACTERS) return new JsonText(text);
  return new FinishedResponse(encoding, await compress(successEnvelope(text), encoding));
}
