import { type BodyEncoding, successEnvelopeOf } from '#platform/contracts';
import { compressParts } from '#platform/core';
import { CompressedResponse } from './response-body.rules.js';
import { gzipBody, SharedAnswer, type SharedText } from './shared-text.js';
import { jsonInSlices, JsonBytes } from './sliced-json.js';

/** Smaller answers fit into one packet, so that compression gains nothing. */
const SMALLEST_BYTES = 1400;

/**
 * The fields of a response that may be large: compressed for a client that accepts the encoding of `AcceptedEncoding`,
 * otherwise as text.
 */
export async function compressedAnswer(
  fields: object,
  encoding: BodyEncoding | null,
): Promise<CompressedResponse | JsonBytes> {
  const json = await jsonInSlices(fields);
  if (encoding === null || json.length < SMALLEST_BYTES) return json;
  const plain = new JsonBytes(successEnvelopeOf(json.parts));
  const body = new JsonBytes(await compressParts(plain.parts, encoding));
  return new CompressedResponse(encoding, body, plain.length);
}

/** The same with members that many responses share; compressed only with gzip, because parts of brotli cannot be joined. */
export async function sharedAnswer(
  shared: readonly SharedText[],
  fields: object,
  encoding: BodyEncoding | null,
): Promise<CompressedResponse | JsonBytes | SharedAnswer> {
  if (shared.length === 0) return compressedAnswer(fields, encoding);
  const own = await jsonInSlices(fields);
  if (encoding !== 'gzip') return new SharedAnswer(shared, own);
  return gzipBody(shared, own);
}
