import type { IncomingMessage } from 'node:http';
import { ApiError } from '#platform/contracts';
import type { EndpointDeclaration, ParametersOf } from '../endpoint.js';
import { ignoredParameters, parseParameters } from '../parameters/parse-parameters.rules.js';
import { METHOD_FIELD } from './methods.js';
import { bodyLengthOf, peekBody } from './request-body.js';

/** A query or a form without encoded characters. */
const PLAIN = /^\w+=[\w.~-]*(?:&\w+=[\w.~-]*)*$/;

const FORM = /^application\/x-www-form-urlencoded(?:; ?charset=utf-8)?$/i;

/** A longer form is unusual. */
const MAX_FORM_BYTES = 512;

export interface PlainParameters<Parameters> {
  readonly parameters: Parameters;
  readonly ignored: readonly string[];
}

/** The parameters of a request without a body; null if they are invalid, or not plain. */
export function readQuery<Declaration extends EndpointDeclaration>(
  declaration: Declaration,
  request: IncomingMessage,
): PlainParameters<ParametersOf<Declaration>> | null {
  if (bodyLengthOf(request) !== 0) return null;
  const { url = '' } = request;
  return parsePlain(declaration, url.slice(url.indexOf('?') + 1));
}

/**
 * The parameters of a request without a query, whose form is empty or has arrived together with its headers; null if there
 * are others, if they are invalid, or not plain. The form stays readable.
 */
export async function readForm<Declaration extends EndpointDeclaration>(
  declaration: Declaration,
  request: IncomingMessage,
): Promise<PlainParameters<ParametersOf<Declaration>> | null> {
  const length = bodyLengthOf(request);
  if (length === undefined || length > MAX_FORM_BYTES) return null;
  if (request.headers['content-encoding'] !== undefined) return null;
  if (request.url?.includes('?') !== false) return null;
  if (length === 0) return parseRaw(declaration, new Map());
  if (!FORM.test(request.headers['content-type'] ?? '')) return null;
  // Node emits the request before it parses the rest of the packet: after this turn, a form of the same packet is buffered.
  await Promise.resolve();
  const body = peekBody(request, length);
  return body && parsePlain(declaration, body.toString('latin1'));
}

function parsePlain<Declaration extends EndpointDeclaration>(
  declaration: Declaration,
  text: string,
): PlainParameters<ParametersOf<Declaration>> | null {
  if (!PLAIN.test(text)) return null;
  const raw = new Map(text.split('&').map((pair) => pair.split('=') as [string, string]));
  return raw.has(METHOD_FIELD) ? null : parseRaw(declaration, raw);
}

function parseRaw<Declaration extends EndpointDeclaration>(
  { parameters: declared }: Declaration,
  raw: ReadonlyMap<string, string>,
): PlainParameters<ParametersOf<Declaration>> | null {
  try {
    const parameters = parseParameters(declared, raw) as ParametersOf<Declaration>;
    return { parameters, ignored: ignoredParameters(declared, raw) };
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
