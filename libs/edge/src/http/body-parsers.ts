import formbody from '@fastify/formbody';
import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';

/** Stands for a JSON body that is none: reported only after the sign-in, as every wrong parameter is. */
export const MalformedJson = Symbol('MalformedJson');

/**
 * Teaches Fastify the bodies that parameters come in: forms, multipart and JSON objects, up to
 * `limitBytes`. A body of any other type carries no parameters.
 */
export async function registerBodyParsers(
  fastify: FastifyInstance,
  limitBytes: number,
): Promise<void> {
  fastify.removeAllContentTypeParsers();
  await fastify.register(formbody, { bodyLimit: limitBytes });
  await fastify.register(multipart, {
    limits: { fieldSize: limitBytes, fields: 1000, parts: 1000 },
  });
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: limitBytes },
    (_request, body, done) => done(null, parseObject(String(body))),
  );
  fastify.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: limitBytes },
    (_request, _body, done) => done(null, undefined),
  );
}

/** A decoded value as a form would carry it: a string as it is, all else as JSON text. */
export const parameterText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** The members of a JSON object as a form would carry them; one that is null says nothing, as if left out. */
function parseObject(body: string): unknown {
  if (body.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return MalformedJson;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]) =>
        member === null ? [] : [[name, parameterText(member)]],
      ),
    );
  } catch {
    return MalformedJson;
  }
}
