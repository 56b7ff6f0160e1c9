import type { PresenceAnswer, PresenceRequest } from '#contracts';

/** What the far end of a transport does: it answers a request with finished text, or with compressed bytes. */
export type Answer = (request: PresenceRequest) => Promise<PresenceAnswer>;

/** The near end of a transport. */
export interface Asking {
  ask(request: PresenceRequest): Promise<PresenceAnswer>;
  close(): unknown;
}

/** One way to carry a request and its answer between two processes. */
export interface Transport {
  readonly title: string;
  /** Resolves with the port it listens on, of 127.0.0.1. */
  serve(answer: Answer): Promise<number>;
  connect(port: number): Promise<Asking>;
}

export const HOST = '127.0.0.1';

/** Only this benchmark writes these, so their shape is known. */
export const readRequest = (text: string): PresenceRequest => JSON.parse(text) as PresenceRequest;
