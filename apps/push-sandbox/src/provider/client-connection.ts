import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';

/** One client's connection to a provider, below TLS. */
export class ClientConnection {
  /** Undefined for HTTP/1.1. */
  session: ServerHttp2Session | undefined;
  requestsInFlight = 0;

  #isSilent = false;
  #isGoingAway = false;

  constructor(private readonly socket: Socket) {}

  /** A silent connection reads requests and answers none, like a broken network path. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Whether the client was asked to use another connection. */
  get isGoingAway(): boolean {
    return this.#isGoingAway;
  }

  silence(): void {
    this.#isSilent = true;
  }

  unsilence(): void {
    this.#isSilent = false;
  }

  /**
   * Asks the client to use another connection; requests in flight are still answered. HTTP/2 does so at once
   * (GOAWAY), HTTP/1.1 with the answers (`connection: close`).
   */
  goAway(): void {
    if (this.#isGoingAway) return;
    this.#isGoingAway = true;
    this.session?.close();
  }

  /** Sets the limit of concurrent streams of an HTTP/2 client. */
  allowStreams(count: number): void {
    if (this.session?.destroyed === false) {
      this.session.settings({ maxConcurrentStreams: count });
    }
  }

  /** Ends the connection with a TCP reset; requests in flight are not answered. */
  drop(): void {
    this.socket.resetAndDestroy();
  }
}
