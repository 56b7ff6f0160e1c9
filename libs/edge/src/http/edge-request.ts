import type { Caller } from '#contracts';
import type { EndpointDeclaration } from '../endpoint.js';
import type { FileReceiver } from '../files/file-receiver.js';

/** What the edge keeps of a request to a declared endpoint, for its route and for the answer. */
export interface Edge {
  readonly declaration: EndpointDeclaration;
  readonly caller: Caller | null;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly ignored: readonly string[];
  /** Of an endpoint that takes a file. */
  readonly receiver: FileReceiver | null;
}

/** The sign-in and the charge of a request, made before its body is read. */
export interface Admitted {
  /** Null where none is asked for. */
  readonly caller: Caller | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    admitted: Admitted | null;
    /** Set once a request has been let in to a declared endpoint. */
    edge: Edge | null;
    /** The status of an answer that is a file, where it is not 200. */
    fileStatus: number | null;
  }
}
