import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  ApiError,
  type Authenticator,
  AUTHENTICATOR,
  type PresumedCaller,
} from '#platform/contracts';
import { type EndpointDeclaration, type ParametersOf, routePathOf } from '../endpoint.js';
import { ignoredParameters, parseParameters } from '../parameters/parse-parameters.rules.js';
import { fastifyOf, requestIdOf } from './configure-edge.js';
import { neverCache } from './connections.js';
import { crossOriginHeaders } from './cross-origin-headers.js';
import { JSON_TYPE, sendLate } from './deferred-answer.js';
import { bodyLengthOf } from './request-body.js';

/** A query without encoded characters. */
const PLAIN_QUERY = /^\w+=[\w.~-]*(?:&\w+=[\w.~-]*)*$/;

const HEADERS: readonly string[] = Object.entries({
  ...neverCache,
  ...crossOriginHeaders,
  'content-type': JSON_TYPE,
}).flat();

/** Sets the listener for the end of a request: its response is sent, or its client has left. */
export type OnClosed = (listener: () => void) => void;

/** A request that has ended. */
export interface EndedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  /** Since its arrival. */
  readonly seconds: number;
}

export interface DirectRouteOptions {
  /** Receives each answered request. */
  readonly onEnded?: ((request: EndedRequest) => void) | undefined;
  readonly sendStallMs: number;
}

/** Resolves with the fields of a successful response, or rejects like the handler of the endpoint. */
export type DirectAnswer = (onClosed: OnClosed) => Promise<unknown>;

/** The usual requests to an endpoint. */
interface DirectRoute<Declaration extends EndpointDeclaration> extends DirectRouteOptions {
  readonly declaration: Declaration;
  /** Checks the sign-in; resolves with null if the route of the endpoint has to answer. */
  readonly begin: (
    presumed: PresumedCaller,
    parameters: ParametersOf<Declaration>,
  ) => Promise<DirectAnswer | null>;
}

/**
 * Answers the usual requests to an endpoint without the framework, which takes longer than a poll: those with a cached
 * sign-in, valid parameters in a plain query and no body. All others go to the route of the endpoint, which answers GET,
 * requires a sign-in and charges its own limit. Call it before the application listens.
 */
export function addDirectRoute<Declaration extends EndpointDeclaration>(
  app: NestFastifyApplication,
  { declaration, begin, onEnded, sendStallMs }: DirectRoute<Declaration>,
): void {
  const { directRoutes, drain, server } = fastifyOf(app);
  const route = routePathOf(declaration);
  const authenticator = app.get<Authenticator>(AUTHENTICATOR, { strict: false });
  directRoutes.add(route, async (request, response, framework) => {
    const startedAt = performance.now();
    const given = bodyLengthOf(request) === 0 ? readQuery(declaration, request) : null;
    if (given === null) return framework(request, response);
    const { authorization, host = '' } = request.headers;
    const presumed = authenticator.presume({ authorization, host });
    if (presumed === null) return framework(request, response);
    const answer = await begin(presumed, given.parameters);
    if (answer === null) return framework(request, response);
    const onClosed = closeListener(response, () => {
      const seconds = (performance.now() - startedAt) / 1000;
      onEnded?.({ method: 'GET', route, status: response.statusCode, seconds });
      // The response began before the drain, without `Connection: close`.
      if (!server.listening) request.socket.destroySoon();
    });
    const id = requestIdOf(request);
    const headers = ['X-Request-Id', id, ...HEADERS];
    await sendLate(
      { id, request, response, headers, ignored: given.ignored, drain, sendStallMs },
      answer(onClosed),
    );
  });
}

/** Calls `ended` at the end of a response, after the listener that is set later. */
function closeListener(response: ServerResponse, ended: () => void): OnClosed {
  let closed: (() => void) | undefined;
  response.once('close', () => {
    closed?.();
    ended();
  });
  return (listener) => {
    closed = listener;
    if (response.destroyed) listener();
  };
}

/** The parameters of a request; null if they are invalid, or not plain. */
function readQuery<Declaration extends EndpointDeclaration>(
  { parameters: declared }: Declaration,
  { url = '' }: IncomingMessage,
) {
  const query = url.slice(url.indexOf('?') + 1);
  if (!PLAIN_QUERY.test(query)) return null;
  const raw = new Map(query.split('&').map((pair) => pair.split('=') as [string, string]));
  try {
    const parameters = parseParameters(declared, raw) as ParametersOf<Declaration>;
    return { parameters, ignored: ignoredParameters(declared, raw) };
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}
