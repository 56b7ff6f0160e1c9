import { AsyncLocalStorage } from 'node:async_hooks';
import { Agent, type AgentOptions } from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { OutboundProxy } from '#platform/outbound';
import type { FcmReply } from './fcm-answer.rules.js';

/** A push was withdrawn before it was on the wire. */
export class Withdrawn extends Error {
  override readonly name = 'Withdrawn';
}

/** One call of the SDK, observed on its HTTP request. */
export class FcmCall {
  /** The raw response, which the SDK does not return; rejects without one. */
  readonly reply: Promise<FcmReply>;
  #resolve: (reply: FcmReply) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #request: ClientRequest | undefined;
  #socket: Duplex | undefined;
  readonly #abandoned = new AbortController();

  constructor(private readonly isWithdrawn: () => boolean) {
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Whether the SDK has made a request. */
  get isSent(): boolean {
    return this.#request !== undefined;
  }

  /** Whether the whole request has left this process. */
  get hasLeft(): boolean {
    return this.#request?.writableFinished ?? false;
  }

  /** Observes the request of this call; throws for a second one. */
  observe(request: ClientRequest): void {
    // The SDK's retries would not survive this process.
    if (this.#request !== undefined) throw new Error('The SDK may not retry on its own');
    this.#request = request;
    request.prependListener('error', (error) => this.fail(error));
    request.prependListener('response', (response) => this.#read(response));
  }

  /** Called right before the request goes on the wire: fails the call and returns the error if the push is withdrawn. */
  failIfWithdrawn(): Withdrawn | undefined {
    if (!this.isWithdrawn()) return undefined;
    const error = new Withdrawn();
    this.fail(error);
    return error;
  }

  /** The connection that is opened for this call. */
  useSocket(socket: Duplex): void {
    this.#socket = socket;
  }

  /** Has no effect after the response. */
  fail(error: unknown): void {
    this.#reject(error);
  }

  /** Aborted when the call is abandoned. */
  get abandoned(): AbortSignal {
    return this.#abandoned.signal;
  }

  /** Destroys the request and its connection. */
  abandon(): void {
    this.#abandoned.abort();
    this.#request?.destroy();
    this.#socket?.destroy();
  }

  #read(response: IncomingMessage): void {
    const parts: Buffer[] = [];
    const retryAfter = response.headers['retry-after'];
    // The SDK would wait for the delay before its retry fails.
    delete response.headers['retry-after'];
    response.on('data', (part: Buffer) => parts.push(part));
    response.on('error', (error) => this.fail(error));
    response.on('end', () => {
      this.#resolve({
        status: response.statusCode ?? 0,
        retryAfter,
        body: Buffer.concat(parts).toString(),
      });
    });
  }
}

/** The call of the current async context. */
export const fcmCall = new AsyncLocalStorage<FcmCall>();

type OnReady = (error: Error | null, socket: Duplex) => void;

/** Node ignores the socket of a connection that failed, which its typings require. */
const NO_SOCKET = new Duplex();

/** Connects every request to one address, and lets each call observe its request. */
export class FcmAgent extends Agent {
  constructor(
    private readonly server: AgentOptions & { readonly host: string; readonly port: number },
    private readonly proxy: OutboundProxy | undefined,
  ) {
    super({ ...server, keepAlive: true });
  }

  /** Called by `https.request` in the same turn; not in Node's typings. */
  addRequest(request: ClientRequest, options: unknown): void {
    const call = fcmCall.getStore();
    call?.observe(request);
    const withdrawn = call?.failIfWithdrawn();
    if (withdrawn !== undefined) throw withdrawn;
    addRequest.call(this, request, options);
  }

  /** Returns a connection after its TLS handshake: until then the push can be withdrawn. */
  override createConnection(options: ConnectionOptions, onReady: OnReady): undefined {
    const call = fcmCall.getStore();
    const { host, port } = this.server;
    const { proxy } = this;
    if (proxy?.isFor(host, port) !== true) {
      secure(call, connect(options), onReady);
      return;
    }
    proxy.connect(host, port, call?.abandoned ?? new AbortController().signal).then(
      (socket) => secure(call, connect({ ...options, socket }), onReady),
      (error: Error) => onReady(error, NO_SOCKET),
    );
  }
}

/** Passes a connection on after its TLS handshake, unless the push was withdrawn meanwhile. */
function secure(call: FcmCall | undefined, socket: TLSSocket, onReady: OnReady): void {
  call?.useSocket(socket);
  const onError = (error: Error) => onReady(error, socket);
  socket.once('error', onError).once('secureConnect', () => {
    socket.off('error', onError);
    const withdrawn = call?.failIfWithdrawn();
    if (withdrawn !== undefined) socket.destroy();
    onReady(withdrawn ?? null, socket);
  });
}

// Not in Node's typings, so the check is made at runtime.
const { addRequest } = Agent.prototype as unknown as {
  addRequest(this: Agent, request: ClientRequest, options: unknown): void;
};
if (typeof addRequest !== 'function') throw new Error('This Node has no Agent.addRequest');
