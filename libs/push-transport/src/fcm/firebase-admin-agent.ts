import { AsyncLocalStorage } from 'node:async_hooks';
import { Agent, type AgentOptions } from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { connect, type ConnectionOptions } from 'node:tls';
import type { FcmReply } from './fcm-reply.rules.js';

/** A push was withdrawn before it was on the wire. */
export class Withdrawn extends Error {
  override readonly name = 'Withdrawn';
}

/** One call of the SDK, seen from below it. */
export class FcmCall {
  /** The raw reply, which the SDK does not hand on; rejects when there will be none. */
  readonly reply: Promise<FcmReply>;
  #resolve: (reply: FcmReply) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;
  #request: ClientRequest | undefined;
  #socket: Duplex | undefined;

  constructor(private readonly isWithdrawn: () => boolean) {
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Whether the SDK got as far as sending anything. */
  get isSent(): boolean {
    return this.#request !== undefined;
  }

  /** Follows the request of this call; throws when it is not the first. */
  follow(request: ClientRequest): void {
    // Retries are decided on elsewhere, where they survive this process.
    if (this.#request !== undefined) throw new Error('The SDK may not retry on its own');
    this.#request = request;
    request.prependListener('error', (error) => this.fail(error));
    request.prependListener('response', (response) => this.#read(response));
  }

  /** Asked at the last moment before it goes on the wire: fails the call when it must not any more. */
  findWithdrawn(): Withdrawn | undefined {
    if (!this.isWithdrawn()) return undefined;
    const error = new Withdrawn();
    this.fail(error);
    return error;
  }

  /** The connection that is being made for this call. */
  connectsOver(socket: Duplex): void {
    this.#socket = socket;
  }

  /** There will be no reply, unless there is one already. */
  fail(error: unknown): void {
    this.#reject(error);
  }

  /** Drops the request, and the connection that it is on. */
  abandon(): void {
    this.#request?.destroy();
    this.#socket?.destroy();
  }

  #read(response: IncomingMessage): void {
    const parts: Buffer[] = [];
    const retryAfter = response.headers['retry-after'];
    // Else the SDK would sit out the delay before it finds that it may not retry.
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

/** The call that the present code runs for. */
export const fcmCall = new AsyncLocalStorage<FcmCall>();

/** Connects every request to one address, and lets each call follow its own. */
export class FcmAgent extends Agent {
  constructor(options: AgentOptions) {
    super({ ...options, keepAlive: true });
  }

  /** What `https.request` hands a request to, within the same call; Node's typings leave it out. */
  addRequest(request: ClientRequest, options: unknown): void {
    const call = fcmCall.getStore();
    call?.follow(request);
    const withdrawn = call?.findWithdrawn();
    if (withdrawn !== undefined) throw withdrawn;
    addRequest.call(this, request, options);
  }

  /** Hands a new connection out when it is ready, so that nothing is written before that. */
  override createConnection(
    options: ConnectionOptions,
    onReady: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const call = fcmCall.getStore();
    const socket = connect(options);
    call?.connectsOver(socket);
    const onError = (error: Error) => onReady(error, socket);
    socket.once('error', onError).once('secureConnect', () => {
      socket.off('error', onError);
      const withdrawn = call?.findWithdrawn();
      if (withdrawn !== undefined) socket.destroy();
      onReady(withdrawn ?? null, socket);
    });
  }
}

// Not in Node's typings, though every agent package builds on it; its absence shows at start.
const { addRequest } = Agent.prototype as unknown as {
  addRequest(this: Agent, request: ClientRequest, options: unknown): void;
};
if (typeof addRequest !== 'function') throw new Error('This Node has no Agent.addRequest');
