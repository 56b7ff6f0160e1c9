import { ApiError } from '#contracts';
import type { FastifyRequest } from 'fastify';
import type { RawParameters } from '../parameters/parse-parameters.rules.js';
import { MalformedJson, parameterText } from './body-parsers.js';
import { BODY_LIMIT_BYTES } from './limits.js';

/**
 * Everything a request carries by name, from the query, from a form, multipart or JSON body, and from
 * its path. The path wins over the body and the body over the query; of a name that is given twice the
 * last counts. Files are passed over. Rejects with ApiError.
 */
export async function readRawParameters(request: FastifyRequest): Promise<RawParameters> {
  const raw = new Map<string, string>();
  addAll(raw, request.query);
  if (request.isMultipart()) {
    await addMultipart(raw, request);
  } else if (request.body === MalformedJson) {
    throw new ApiError('malformedJson');
  } else {
    addAll(raw, request.body);
  }
  addAll(raw, request.params);
  return raw;
}

/** A name that was given twice comes as a list. */
function addAll(raw: Map<string, string>, source: unknown): void {
  if (typeof source !== 'object' || source === null) return;
  for (const [name, given] of Object.entries(source)) {
    raw.set(name, String(Array.isArray(given) ? given.at(-1) : given));
  }
}

async function addMultipart(raw: Map<string, string>, request: FastifyRequest): Promise<void> {
  let size = 0;
  try {
    for await (const part of request.parts()) {
      if (part.type === 'file') {
        part.file.resume();
        continue;
      }
      const value = parameterText(part.value);
      size += Buffer.byteLength(value);
      if (part.valueTruncated || size > BODY_LIMIT_BYTES)
        throw new ApiError('bodyTooLarge', tooLarge);
      raw.set(part.fieldname, value);
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (error instanceof Error && 'statusCode' in error && error.statusCode === 413) throw error;
    throw new ApiError('malformedRequest');
  }
}

const tooLarge = { limit: BODY_LIMIT_BYTES };
