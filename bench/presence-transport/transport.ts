import type { PresenceAnswer, PresenceRequest } from '#platform/contracts';

/** The server side of a transport: answers a request with finished text or compressed bytes. */
type Answer = (request: PresenceRequest) => Promise<PresenceAnswer>;

/** The client side of a transport. */
export interface Asking {
  ask(request: PresenceRequest): Promise<PresenceAnswer>;
  close(): unknown;
}

/** A way to carry requests and answers between two processes. */
export interface Transport {
  readonly title: string;
  /** Resolves with the port on 127.0.0.1. */
  serve(answer: Answer): Promise<number>;
  connect(port: number): Promise<Asking>;
}

export const HOST = '127.0.0.1';

/** Only this benchmark writes these messages, so their shape is known. */
export const readRequest = (text: string): PresenceRequest => JSON.parse(text) as PresenceRequest;
