import type { Caller, RemoteCaller } from '#platform/contracts';
import type { Drain } from '#platform/core';
import type { EndpointDeclaration } from '../endpoint.js';
import type { FileReceiver } from '../files/file-receiver.js';
import type { DirectRoutes } from './direct-routes.js';
import type { OnEnded } from './ended-requests.js';

/** The state of a request to an endpoint. */
interface EndpointRequest {
  readonly declaration: EndpointDeclaration;
  readonly caller: Caller | null;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly ignored: readonly string[];
  /** Null unless the endpoint accepts a file. */
  readonly receiver: FileReceiver | null;
}

/** The result of the authentication, before the body is read. */
interface Authenticated {
  /** Null if the endpoint requires no sign-in. */
  readonly caller: Caller | null;
  /** Only of endpoints for servers; null if the endpoint requires no sign-in. */
  readonly server?: RemoteCaller | null;
  /** Without a charge. Only if a part of the body was still to come: the sign-in may end before it arrives. */
  readonly signInAgain?: () => Promise<void>;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Set by `closeWhileDraining`. */
    readonly drain?: Drain;
    readonly directRoutes: DirectRoutes;
    /** Of each path that has endpoints; set by `registerMethodOverride`. */
    readonly allowedMethods: ReadonlyMap<string, readonly string[]>;
    /** Set by `publishEndedRequests`. */
    readonly onRequestEnded?: OnEnded;
  }
  interface FastifyRequest {
    authenticated: Authenticated | null;
    /** Set when the request is authorized and its parameters are parsed. */
    endpoint: EndpointRequest | null;
    /** The status of a file response other than 200. */
    fileStatus: number | null;
  }
}
