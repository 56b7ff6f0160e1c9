import type { BodyEncoding } from '#platform/contracts';
import { successEnvelope } from '#platform/contracts';
import { compress } from '#platform/core';
import { CompressedResponse, JsonText } from './response-body.rules.js';
import { gzipBody, SharedAnswer, type SharedText } from './shared-text.js';

/** Smaller answers fit into one packet, so that compression gains nothing. */
const SMALLEST_CHARACTERS = 1400;

/**
 * The fields of a response that may be large: compressed for a client that accepts the encoding of `AcceptedEncoding`,
 * otherwise as text.
 */
export async function compressedAnswer(
  fields: object,
  encoding: BodyEncoding | null,
): Promise<CompressedResponse | JsonText> {
  const text = JSON.stringify(fields);
  if (encoding === null || text.length < SMALLEST_CHARACTERS) return new JsonText(text);
  return new CompressedResponse(encoding, await compress(successEnvelope(text), encoding));
}

/** The same with members that many responses share; compressed only with gzip, because parts of brotli cannot be joined. */
export async function sharedAnswer(
  shared: readonly SharedText[],
  fields: object,
  encoding: BodyEncoding | null,
): Promise<CompressedResponse | JsonText | SharedAnswer> {
  if (shared.length === 0) return compressedAnswer(fields, encoding);
  const text = JSON.stringify(fields);
  if (encoding !== 'gzip') return new SharedAnswer(shared, text);
  return new CompressedResponse(encoding, await gzipBody(shared, text));
}
