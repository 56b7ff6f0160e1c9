import { ApiError } from '#contracts';
import type { FastifyRequest } from 'fastify';
import type { EndpointDeclaration } from '../endpoint.js';
import type { FileReceiver } from '../files/file-receiver.js';
import type { RawParameters } from '../parameters/parse-parameters.rules.js';
import { bodyLimitOf } from './admit-requests.js';
import { parameterText, RefusedBody } from './body-parsers.js';
import { MEMBER_LIMIT } from './limits.js';
import { restNameOf } from './route-path.rules.js';

/**
 * Everything a request carries by name, from the query, from a form, multipart or JSON body, from its
 * path, and from the headers that the endpoint declares. The path wins over the body and the body over the
 * query; of a name that is given twice the last counts. Files go to `receiver`; without one they are passed over. Rejects with ApiError.
 */
export async function readRawParameters(
  request: FastifyRequest,
  declaration: EndpointDeclaration,
  receiver: FileReceiver | null,
): Promise<RawParameters> {
  const { path, parameters } = declaration;
  const raw = new Map<string, string>();
  addAll(raw, request.query);
  if (request.isMultipart()) {
    await addMultipart(raw, request, { receiver, limit: bodyLimitOf(declaration) });
  } else if (request.body instanceof RefusedBody) {
    throw request.body.error;
  } else {
    addAll(raw, request.body);
  }
  addAll(raw, request.params);
  nameRest(raw, restNameOf(path));
  addHeaders(raw, request.headers, parameters);
  return raw;
}

/** Of what is declared to be a header nothing else counts. */
function addHeaders(
  raw: Map<string, string>,
  headers: FastifyRequest['headers'],
  declared: EndpointDeclaration['parameters'],
): void {
  for (const [name, { isHeader }] of Object.entries(declared)) {
    if (isHeader !== true) continue;
    raw.delete(name);
    addAll(raw, { [name]: headers[name.toLowerCase()] });
  }
}

/** A name that was given twice comes as a list. */
function addAll(raw: Map<string, string>, source: unknown): void {
  if (typeof source !== 'object' || source === null) return;
  for (const [name, given] of Object.entries(source)) {
    if (given === undefined) continue;
    raw.set(name, String(Array.isArray(given) ? given.at(-1) : given));
  }
}

/** What the router calls `*` is a parameter like any other. */
function nameRest(raw: Map<string, string>, name: string | undefined): void {
  const rest = raw.get('*');
  if (name === undefined || rest === undefined) return;
  raw.delete('*');
  raw.set(name, rest);
}

async function addMultipart(
  raw: Map<string, string>,
  request: FastifyRequest,
  { receiver, limit }: { readonly receiver: FileReceiver | null; readonly limit: number },
): Promise<void> {
  let size = 0;
  const options = receiver === null ? { limits: { fieldSize: limit } } : receiver.partsOptions;
  try {
    for await (const part of request.parts(options)) {
      if (part.type === 'file') {
        await (receiver?.take(part) ?? part.file.resume());
        continue;
      }
      const value = parameterText(part.value);
      size += Buffer.byteLength(value);
      if (part.valueTruncated || size > limit) throw new ApiError('bodyTooLarge', { limit });
      raw.set(part.fieldname, value);
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'FST_PARTS_LIMIT' || code === 'FST_FIELDS_LIMIT') {
      throw new ApiError('tooManyMembers', { limit: MEMBER_LIMIT });
    }
    if (error instanceof Error && 'statusCode' in error && error.statusCode === 413) throw error;
    if (isOfDisk(error)) throw error;
    throw new ApiError('malformedRequest');
  }
}

/** The file could not be written: no fault of the request. */
const isOfDisk = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'syscall' in error &&
  FILE_CALLS.has(error.syscall);

const FILE_CALLS: ReadonlySet<unknown> = new Set(['open', 'write', 'close']);
