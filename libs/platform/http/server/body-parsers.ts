import { isUtf8 } from 'node:buffer';
import multipart from '@fastify/multipart';
import { ApiError, requestErrors } from '#platform/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type EndpointDeclaration, routePathOf } from '../endpoint.js';
import { excessOf } from '../parameters/parse-parameters.rules.js';
import { formFields } from './form-fields.js';
import { BODY_LIMIT_BYTES, MEMBER_LIMIT, NESTED_MEMBER_LIMIT } from './limits.js';
import { METHOD_FIELD } from './methods.js';

/** Replaces a rejected body: the error is thrown after the check of the role, like errors of parameters. */
export class RejectedBody {
  constructor(readonly error: ApiError) {}
}

/**
 * Registers parsers for the bodies that contain parameters: forms, multipart and JSON objects. Bodies of other types are
 * rejected, unless they are empty.
 */
export async function registerBodyParsers(
  fastify: FastifyInstance,
  declarations: readonly EndpointDeclaration[],
): Promise<void> {
  const declaredNames = namesByUrl(declarations);
  const wholeBodies = new Set(
    declarations.filter((one) => bodyNameOf(one) !== undefined).map(routePathOf),
  );
  const withFile = new Set(declarations.filter(({ file }) => file !== undefined).map(routePathOf));
  const isWhole = ({ routeOptions }: FastifyRequest) => wholeBodies.has(routeOptions.url ?? '');
  const ofUnknownType = (length: number, { routeOptions }: FastifyRequest) =>
    // An endpoint with a file has its own error for a missing one.
    length === 0 || withFile.has(routeOptions.url ?? '')
      ? undefined
      : new RejectedBody(new ApiError(requestErrors.unsupportedMediaType));
  fastify.removeAllContentTypeParsers();
  await fastify.register(multipart, {
    limits: { fieldSize: BODY_LIMIT_BYTES, fields: MEMBER_LIMIT, parts: MEMBER_LIMIT },
  });
  fastify.addContentTypeParser<Buffer>(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    (request: FastifyRequest, body, done) =>
      done(null, isWhole(request) ? body.toString() : parseForm(body)),
  );
  fastify.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, body, done) =>
      done(
        null,
        isWhole(request)
          ? body.toString()
          : parseObject(body, declaredNames.get(request.routeOptions.url ?? '')),
      ),
  );
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (request: FastifyRequest, body, done) =>
    done(null, isWhole(request) ? body.toString('utf8') : ofUnknownType(body.length, request)),
  );
}

/** The name of the parameter that is the whole body, if there is one. */
export const bodyNameOf = ({ parameters }: EndpointDeclaration): string | undefined =>
  Object.keys(parameters).find((name) => parameters[name]?.isBody === true);

/** A decoded value in the form of a form field: a string unchanged, any other value as JSON text. */
export const parameterText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** The parameters of all endpoints of a path: a field of the body may name another method. */
function namesByUrl(
  declarations: readonly EndpointDeclaration[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  for (const declaration of declarations) {
    const url = routePathOf(declaration);
    const known = names.get(url) ?? new Set([METHOD_FIELD]);
    for (const name of Object.keys(declaration.parameters)) known.add(name);
    names.set(url, known);
  }
  return names;
}

function parseForm(body: Buffer): unknown {
  let members = 1;
  for (let at = body.indexOf('&'); at !== -1; at = body.indexOf('&', at + 1)) members += 1;
  return members > MEMBER_LIMIT ? tooManyMembers() : (formFields(body) ?? notUtf8());
}

/**
 * The members of a JSON object in the form of form fields. A null member counts as missing. Of a member outside of `names`
 * only the name is kept, for the list of ignored parameters.
 */
function parseObject(given: Buffer, names: ReadonlySet<string> | undefined): unknown {
  if (!isUtf8(given)) return notUtf8();
  const body = given.toString();
  if (body.trim() === '') return undefined;
  const excess = excessOf(body, NESTED_MEMBER_LIMIT);
  if (excess === 'nesting') return malformedJson();
  if (excess === 'members') return tooManyMembers();
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return malformedJson();
    const members = Object.entries(value).filter(([, member]) => member !== null);
    if (members.length > MEMBER_LIMIT) return tooManyMembers();
    return Object.fromEntries(
      members.map(([name, member]) => [
        name,
        names === undefined || names.has(name) ? parameterText(member) : '',
      ]),
    );
  } catch {
    return malformedJson();
  }
}

const tooManyMembers = () =>
  new RejectedBody(new ApiError(requestErrors.tooManyMembers, { limit: MEMBER_LIMIT }));
const notUtf8 = () => new RejectedBody(new ApiError(requestErrors.notUtf8));
const malformedJson = () => new RejectedBody(new ApiError(requestErrors.malformedJson));
