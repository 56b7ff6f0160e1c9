import type { FastifyRequest } from 'fastify';
import { ApiError, requestErrors } from '#platform/contracts';
import { errorCode } from '#platform/core';
import { type EndpointDeclaration, restNameOf } from '../endpoint.js';
import type { FileReceiver } from '../files/file-receiver.js';
import type { RawParameters } from '../parameters/parse-parameters.rules.js';
import { bodyLimitOf } from './authenticate-requests.js';
import { bodyNameOf, parameterText, RejectedBody } from './body-parsers.js';
import { MEMBER_LIMIT } from './limits.js';
import { METHOD_FIELD, methodNotAllowed } from './methods.js';
import { bodyLengthOf } from './request-body.js';

interface ReadParameters {
  readonly raw: RawParameters;
  /** The names in the query or the body whose values the path replaces. */
  readonly replaced: readonly string[];
}

/**
 * All named values of a request: from the query, the body (form, multipart or JSON) and the path. The path takes
 * precedence over the body, the body over the query, and a later value over an earlier one. Files go to `receiver`;
 * without one they are ignored. Rejects with ApiError.
 */
export async function readRawParameters(
  request: FastifyRequest,
  declaration: EndpointDeclaration,
  receiver: FileReceiver | null,
): Promise<ReadParameters> {
  const { path } = declaration;
  const raw = new Map<string, string>();
  addAll(raw, request.query);
  requireNoEncoding(request);
  const bodyName = bodyNameOf(declaration);
  if (bodyName !== undefined) {
    raw.set(bodyName, typeof request.body === 'string' ? request.body : '');
  } else if (request.isMultipart()) {
    // Some clients announce a multipart form and send nothing: neither its end nor, in some cases, a boundary.
    if (bodyLengthOf(request.raw) !== 0)
      await addMultipart(raw, request, { receiver, limit: bodyLimitOf(declaration) });
  } else if (request.body instanceof RejectedBody) {
    throw request.body.error;
  } else {
    addAll(raw, request.body);
  }
  const inPath = new Map<string, string>();
  addAll(inPath, request.params);
  nameRest(inPath, restNameOf(path));
  const replaced = [...inPath.keys()].filter((name) => raw.has(name));
  return { raw: new Map([...raw, ...inPath]), replaced };
}

/** Throws ApiError `unsupportedMediaType` for a compressed body that would be read. */
function requireNoEncoding(request: FastifyRequest): void {
  const { 'content-encoding': encoding = 'identity' } = request.headers;
  if (encoding.toLowerCase() === 'identity' || bodyLengthOf(request.raw) === 0) return;
  if (request.body !== undefined || request.isMultipart())
    throw new ApiError(requestErrors.unsupportedMediaType);
}

/** The values of the declared headers of a request, by the names of the parameters. */
export function readHeaders(
  { headers }: FastifyRequest,
  { parameters }: EndpointDeclaration,
): RawParameters {
  const given = new Map<string, string>();
  for (const [name, { isHeader }] of Object.entries(parameters)) {
    if (isHeader === true) addAll(given, { [name]: headers[name.toLowerCase()] });
  }
  return given;
}

/** A repeated name has a list of values. */
function addAll(raw: Map<string, string>, source: unknown): void {
  if (typeof source !== 'object' || source === null) return;
  for (const [name, given] of Object.entries(source)) {
    if (given === undefined) continue;
    raw.set(name, String(Array.isArray(given) ? given.at(-1) : given));
  }
}

/** Renames the parameter that the router calls `*`. */
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
      if (isNameless(part.fieldname)) throw new ApiError(requestErrors.malformedRequest);
      // The body of a multipart form is read too late to run the endpoint of another method.
      if (part.fieldname === METHOD_FIELD && request.method === 'POST' && part.value !== 'POST')
        throw methodNotAllowed(request);
      const value = parameterText(part.value);
      size += Buffer.byteLength(value);
      if (part.valueTruncated || size > limit)
        throw new ApiError(requestErrors.bodyTooLarge, { limit });
      raw.set(part.fieldname, value);
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const code = errorCode(error);
    if (code === 'FST_PARTS_LIMIT' || code === 'FST_FIELDS_LIMIT') {
      throw new ApiError(requestErrors.tooManyMembers, { limit: MEMBER_LIMIT });
    }
    if (error instanceof Error && 'statusCode' in error && error.statusCode === 413) throw error;
    if (isDiskError(error)) throw error;
    throw new ApiError(requestErrors.malformedRequest);
  }
}

/** The type of the parser does not say that a part may have no name. */
const isNameless = (name: string | undefined): boolean => name === undefined;

/** The file could not be written: the request is valid. */
const isDiskError = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'syscall' in error &&
  FILE_CALLS.has(error.syscall);

const FILE_CALLS: ReadonlySet<unknown> = new Set(['open', 'write', 'close']);

/**
 * Throws ApiError `notFound` for a path whose numeric parameter is not a number: no endpoint has this path.
 */
export function requireNumericPathParameters(
  declaration: EndpointDeclaration,
  path: unknown,
): void {
  if (typeof path !== 'object' || path === null) return;
  for (const [name, given] of Object.entries(path)) {
    const isNumber = declaration.parameters[name]?.encoding === 'json';
    if (isNumber && !/^(?:0|[1-9]\d*)$/.test(String(given)))
      throw new ApiError(requestErrors.notFound);
  }
}
