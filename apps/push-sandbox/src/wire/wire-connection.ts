import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';

/** One client's connection to a provider, below TLS. */
export class WireConnection {
  /** Set once the client turned out to speak HTTP/2. */
  session: ServerHttp2Session | undefined;
  requestsInFlight = 0;

  #isSilent = false;
  #hasSaidGoodbye = false;

  constructor(private readonly socket: Socket) {}

  /** A silent connection takes requests and gives nothing back, as a network path that broke unnoticed. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Whether the client was told to send nothing more over this connection. */
  get hasSaidGoodbye(): boolean {
    return this.#hasSaidGoodbye;
  }

  fallSilent(): void {
    this.#isSilent = true;
  }

  speakAgain(): void {
    this.#isSilent = false;
  }

  /**
   * Tells the client to use another connection from now on; what is in flight is still answered.
   * HTTP/2 says so at once (GOAWAY), HTTP/1.1 with the answers (`connection: close`).
   */
  sayGoodbye(): void {
    if (this.#hasSaidGoodbye) return;
    this.#hasSaidGoodbye = true;
    this.session?.close();
  }

  /** Lets an HTTP/2 client have so many requests open at a time. */
  allowStreams(count: number): void {
    if (this.session?.destroyed === false) {
      this.session.settings({ maxConcurrentStreams: count });
    }
  }

  /** Ends the connection with a TCP reset; nothing in flight is answered. */
  drop(): void {
    this.socket.resetAndDestroy();
  }
}
