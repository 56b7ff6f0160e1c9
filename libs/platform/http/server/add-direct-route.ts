import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  type Authenticator,
  AUTHENTICATOR,
  type BodyEncoding,
  type Caller,
} from '#platform/contracts';
import type { Drain, MaybePromise } from '#platform/core';
import { type EndpointDeclaration, type ParametersOf, routePathOf } from '../endpoint.js';
import { limitHeaders } from './authenticate-requests.js';
import { fastifyOf, requestIdOf } from './configure-edge.js';
import { neverCache } from './connections.js';
import { crossOriginHeaders } from './cross-origin-headers.js';
import { JSON_TYPE, type HijackedResponse, sendHijacked } from './hijacked-answer.js';
import type { OnEnded } from './ended-requests.js';
import { type PlainParameters, readForm, readQuery } from './plain-parameters.js';
import { acceptedEncoding } from './response-body.rules.js';
import { ownerOfAccount } from './request-owner.js';

const HEADERS: readonly string[] = Object.entries({
  ...neverCache,
  ...crossOriginHeaders,
  'content-type': JSON_TYPE,
}).flat();

/** Sets the listener for the end of a request: its response is sent, or its client has left. */
export type OnClosed = (listener: () => void) => void;

export interface DirectRouteOptions {
  /** Receives each answered request. */
  readonly onEnded?: OnEnded | undefined;
  readonly sendStallMs: number;
}

/** A usual request to an endpoint. */
export interface DirectRequest<Parameters> {
  readonly caller: Caller;
  readonly parameters: Parameters;
  /** Of the response; names and values in turn. */
  readonly headers: string[];
  /** See the decorator `AcceptedEncoding`. */
  acceptedEncoding(): BodyEncoding | null;
  /** Sends a response, once: with these fields, or with the error of the rejection. */
  send(fields: Promise<unknown>): void;
  /** Sets the listener for the end of the request: its response is sent, or its client has left. */
  onClosed(listener: () => void): void;
}

/** Answers a request: calls its `send`, now or later. */
type SendAnswer = () => void;

/** Prepares an answer; null passes the request to the normal route of the endpoint. */
type PrepareAnswer<Parameters> = (
  request: DirectRequest<Parameters>,
) => MaybePromise<SendAnswer | null>;

/** The usual requests to an endpoint. */
interface DirectRoute<Declaration extends EndpointDeclaration> extends DirectRouteOptions {
  readonly declaration: Declaration;
  readonly prepare: PrepareAnswer<ParametersOf<Declaration>>;
}

/**
 * Answers the usual requests to an endpoint without the framework, which costs more than a poll itself: those with a known
 * sign-in and valid parameters, in a plain query or a short form, and without a declared header. All others go to the route
 * of the endpoint, which requires a sign-in.
 */
export function addDirectRoute<Declaration extends EndpointDeclaration>(
  app: NestFastifyApplication,
  { declaration, prepare, onEnded, sendStallMs }: DirectRoute<Declaration>,
): void {
  const { directRoutes, drain, server } = fastifyOf(app);
  const { method } = declaration;
  const route = routePathOf(declaration);
  const authenticator = app.get<Authenticator>(AUTHENTICATOR, { strict: false });
  const headerNames = Object.entries(declaration.parameters).flatMap(([name, { isHeader }]) =>
    isHeader === true ? [name.toLowerCase()] : [],
  );
  const context = { method, route, onEnded, sendStallMs, drain, server };
  directRoutes.add(method, route, async (request, response) => {
    const startedAt = performance.now();
    if (headerNames.some((name) => request.headers[name] !== undefined)) return false;
    const given =
      method === 'GET' ? readQuery(declaration, request) : await readForm(declaration, request);
    if (given === null) return false;
    const { authorization, host = '' } = request.headers;
    const caller = authenticator.known({ authorization, host });
    if (caller === null) return false;
    const exchange = new Exchange(context, request, response, { startedAt, caller, given });
    const prepared = prepare(exchange);
    // Without a pause if it is there at once.
    const send = prepared instanceof Promise ? await prepared : prepared;
    if (send === null) return false;
    response.on('close', () => exchange.ended());
    send();
    return true;
  });
}

/** The parts of a direct route that all its requests share. */
interface RouteContext extends DirectRouteOptions {
  readonly method: string;
  readonly route: string;
  readonly drain: Drain | undefined;
  readonly server: Server;
}

/** A request that a route answers, and its response. */
class Exchange<Parameters> implements DirectRequest<Parameters>, HijackedResponse {
  readonly caller: Caller;
  readonly parameters: Parameters;
  readonly ignored: readonly string[];
  readonly #startedAt: number;
  #id: string | undefined;
  #headers: string[] | undefined;
  #closed: (() => void) | undefined;

  constructor(
    private readonly context: RouteContext,
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    {
      startedAt,
      caller,
      given,
    }: { startedAt: number; caller: Caller; given: PlainParameters<Parameters> },
  ) {
    this.caller = caller;
    this.parameters = given.parameters;
    this.ignored = given.ignored;
    this.#startedAt = startedAt;
  }

  /** Made at its first use, like the headers, because a request may wait for long and a new id takes 600 bytes of memory. */
  get id(): string {
    return (this.#id ??= requestIdOf(this.request));
  }

  get headers(): string[] {
    return (this.#headers ??= ['X-Request-Id', this.id, ...HEADERS]);
  }

  get drain(): Drain | undefined {
    return this.context.drain;
  }

  get sendStallMs(): number {
    return this.context.sendStallMs;
  }

  get owner(): string {
    return ownerOfAccount(this.caller);
  }

  acceptedEncoding(): BodyEncoding | null {
    this.headers.push('Vary', 'Accept-Encoding');
    if (this.ignored.length > 0) return null;
    return acceptedEncoding(this.request.headers['accept-encoding']);
  }

  send(fields: Promise<unknown>): void {
    void sendHijacked(this, fields);
  }

  /** The listener is called before the request counts as ended. */
  onClosed(listener: () => void): void {
    this.#closed = listener;
    if (this.response.destroyed) listener();
  }

  /** The response is sent, or the client has left. */
  ended(): void {
    this.#closed?.();
    const { method, route, onEnded, server } = this.context;
    onEnded?.({
      id: this.id,
      method,
      route,
      status: this.response.statusCode,
      seconds: (performance.now() - this.#startedAt) / 1000,
      isComplete: this.response.writableFinished,
      userId: this.caller.userId,
    });
    // `readForm` has put the form back: drained, the connection can be used again.
    this.request.resume();
    // The response began before the drain, without `Connection: close`.
    if (!server.listening) this.request.socket.destroySoon();
  }
}

/** Charges the requests to an endpoint to the limit of their account before they are answered. */
export function charged<Parameters>(
  app: NestFastifyApplication,
  answer: (request: DirectRequest<Parameters>) => Promise<unknown>,
): PrepareAnswer<Parameters> {
  const authenticator = app.get<Authenticator>(AUTHENTICATOR, { strict: false });
  const fieldsFor = async (request: DirectRequest<Parameters>): Promise<unknown> => {
    await authenticator.charge(request.caller, (state) => {
      for (const [name, value] of Object.entries(limitHeaders(state)))
        request.headers.push(name, String(value));
    });
    return answer(request);
  };
  return (request) => () => request.send(fieldsFor(request));
}
