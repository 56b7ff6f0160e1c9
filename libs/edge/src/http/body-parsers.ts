import multipart from '@fastify/multipart';
import { ApiError } from '#contracts';
import fastQuerystring from 'fast-querystring';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { EndpointDeclaration } from '../endpoint.js';
import { hasMoreMembers } from '../parameters/json-members.rules.js';
import { BODY_LIMIT_BYTES, MEMBER_LIMIT, NESTED_MEMBER_LIMIT } from './limits.js';
import { METHOD_FIELD } from './method-override.js';
import { routePathOf } from './route-path.rules.js';

/** Stands for a body that is refused: reported only after the role, as every wrong parameter is. */
export class RefusedBody {
  constructor(readonly error: ApiError) {}
}

/**
 * Teaches Fastify the bodies that parameters come in: forms, multipart and JSON objects. A body of any other
 * type carries no parameters. Call it after the admission is registered, so that nothing is parsed before it.
 */
export async function registerBodyParsers(
  fastify: FastifyInstance,
  declarations: readonly EndpointDeclaration[],
): Promise<void> {
  const declaredNames = namesByUrl(declarations);
  fastify.removeAllContentTypeParsers();
  await fastify.register(multipart, {
    limits: { fieldSize: BODY_LIMIT_BYTES, fields: MEMBER_LIMIT, parts: MEMBER_LIMIT },
  });
  fastify.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, parseForm(String(body))),
  );
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    (request: FastifyRequest, body, done) =>
      done(null, parseObject(String(body), declaredNames.get(request.routeOptions.url ?? ''))),
  );
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) =>
    done(null, undefined),
  );
}

/** A decoded value as a form would carry it: a string as it is, all else as JSON text. */
export const parameterText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** The names that the endpoints of a path declare together: a field may still name another method. */
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

function parseForm(body: string): unknown {
  let members = 1;
  for (let at = body.indexOf('&'); at !== -1; at = body.indexOf('&', at + 1)) members += 1;
  return members > MEMBER_LIMIT ? tooManyMembers() : fastQuerystring.parse(body);
}

/**
 * The members of a JSON object as a form would carry them; one that is null says nothing, as if left out. Of a
 * member that is not among `names` only its name is kept, which the answer tells as ignored.
 */
function parseObject(body: string, names: ReadonlySet<string> | undefined): unknown {
  if (body.trim() === '') return undefined;
  if (hasMoreMembers(body, NESTED_MEMBER_LIMIT)) return tooManyMembers();
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
  new RefusedBody(new ApiError('tooManyMembers', { limit: MEMBER_LIMIT }));
const malformedJson = () => new RefusedBody(new ApiError('malformedJson'));
