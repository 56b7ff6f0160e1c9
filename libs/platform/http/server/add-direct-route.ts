import type { ServerResponse } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  type Authenticator,
  AUTHENTICATOR,
  type BodyEncoding,
  type PresumedCaller,
} from '#platform/contracts';
import { type EndpointDeclaration, type ParametersOf, routePathOf } from '../endpoint.js';
import { limitHeaders } from './authenticate-requests.js';
import { fastifyOf, requestIdOf } from './configure-edge.js';
import { neverCache } from './connections.js';
import { crossOriginHeaders } from './cross-origin-headers.js';
import { JSON_TYPE, sendLate } from './deferred-answer.js';
import { readForm, readQuery } from './plain-parameters.js';
import { acceptedEncoding } from './response-body.rules.js';

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

/** A usual request to an endpoint. */
interface DirectRequest<Parameters> {
  readonly presumed: PresumedCaller;
  readonly parameters: Parameters;
  /** Of the response; names and values in turn. */
  readonly headers: string[];
  /** See the decorator `AcceptedEncoding`. */
  readonly acceptedEncoding: () => BodyEncoding | null;
}

/** Resolves with the fields of a successful response, or rejects like the handler of the endpoint. */
export type DirectAnswer = (onClosed: OnClosed) => Promise<unknown>;

/** Checks the sign-in; resolves with null if the route of the endpoint has to answer. */
type Begin<Parameters> = (request: DirectRequest<Parameters>) => Promise<DirectAnswer | null>;

/** The usual requests to an endpoint. */
interface DirectRoute<Declaration extends EndpointDeclaration> extends DirectRouteOptions {
  readonly declaration: Declaration;
  readonly begin: Begin<ParametersOf<Declaration>>;
}

/**
 * Answers the usual requests to an endpoint without the framework, which takes longer than a poll: those with a cached
 * sign-in and valid parameters, in a plain query or a short form. All others go to the route of the endpoint, which
 * requires a sign-in. Call it before the application listens.
 */
export function addDirectRoute<Declaration extends EndpointDeclaration>(
  app: NestFastifyApplication,
  { declaration, begin, onEnded, sendStallMs }: DirectRoute<Declaration>,
): void {
  const { directRoutes, drain, server } = fastifyOf(app);
  const { method } = declaration;
  const route = routePathOf(declaration);
  const authenticator = app.get<Authenticator>(AUTHENTICATOR, { strict: false });
  directRoutes.add(method, route, async (request, response, framework) => {
    const startedAt = performance.now();
    const given =
      method === 'GET' ? readQuery(declaration, request) : await readForm(declaration, request);
    if (given === null) return framework(request, response);
    const { authorization, host = '' } = request.headers;
    const presumed = authenticator.presume({ authorization, host, connection: request.socket });
    if (presumed === null) return framework(request, response);
    const id = requestIdOf(request);
    const { parameters, ignored } = given;
    const headers = ['X-Request-Id', id, ...HEADERS];
    const answer = await begin({
      presumed,
      parameters,
      headers,
      acceptedEncoding: () => {
        headers.push('Vary', 'Accept-Encoding');
        return ignored.length === 0 ? acceptedEncoding(request.headers['accept-encoding']) : null;
      },
    });
    if (answer === null) return framework(request, response);
    const onClosed = closeListener(response, () => {
      const seconds = (performance.now() - startedAt) / 1000;
      onEnded?.({ method, route, status: response.statusCode, seconds });
      // The form was put back.
      request.resume();
      // The response began before the drain, without `Connection: close`.
      if (!server.listening) request.socket.destroySoon();
    });
    const late = { id, request, response, headers, ignored, drain, sendStallMs };
    await sendLate(late, answer(onClosed));
  });
}

/** Begins the requests to an endpoint that are charged to the limit of their account. */
export function admitted<Parameters>(
  app: NestFastifyApplication,
  answer: (request: DirectRequest<Parameters>) => Promise<unknown>,
): Begin<Parameters> {
  const authenticator = app.get<Authenticator>(AUTHENTICATOR, { strict: false });
  return async (request) => {
    const charged = await authenticator.admit(request.presumed);
    if (charged === null) return null;
    const { state, refusal } = charged;
    if (state !== null) {
      for (const [name, value] of Object.entries(limitHeaders(state)))
        request.headers.push(name, String(value));
    }
    return refusal === null ? () => answer(request) : () => Promise.reject(refusal);
  };
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
