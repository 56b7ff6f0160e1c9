import { ApiError } from '#contracts';
import type { FastifyRequest } from 'fastify';
import type { RawParameters } from '../parameters/parse-parameters.rules.js';
import { MalformedJson } from './body-parsers.js';

/**
 * Everything a request carries by name, from the query and from a form, multipart or JSON body; the
 * body wins, and of a name that is given twice the last. Files are passed over. Rejects with ApiError.
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
  return raw;
}

function addAll(raw: Map<string, string>, source: unknown): void {
  if (typeof source !== 'object' || source === null) return;
  for (const [name, given] of Object.entries(source)) {
    const value: unknown =
      Array.isArray(given) && typeof given[0] === 'string' ? given.at(-1) : given;
    raw.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
}

async function addMultipart(raw: Map<string, string>, request: FastifyRequest): Promise<void> {
  try {
    for await (const part of request.parts()) {
      if (part.type === 'file') part.file.resume();
      else raw.set(part.fieldname, String(part.value));
    }
  } catch (error) {
    if (error instanceof Error && 'statusCode' in error && error.statusCode === 413) throw error;
    throw new ApiError('malformedRequest');
  }
}
