import { connect, type Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import type { PresenceAnswer } from '#contracts';
import { Deadline } from '#core';
import { type FrameKind, frameKinds, FrameReader, type ReadFrame } from './frame.js';
import { FrameWriter } from './frame-writer.js';

/** The connection went before the answer came: another process may be asked. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** No answer came in time. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** The presence program refused the request; asking again would not help. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
}

/** The whole presence of a realm of a few hundred thousand users. */
const MOST_ANSWER_BYTES = 64 * 1024 * 1024;

const LEAST_RETRY_MS = 50;
const MOST_RETRY_MS = 1000;
/** For the connection and the first word on it. */
const CONNECT_TIMEOUT_MS = 3000;

interface Call {
  readonly resolve: (answer: PresenceAnswer) => void;
  readonly reject: (error: Error) => void;
  readonly deadline: Deadline;
}

/** The connection to one presence process; it comes back by itself, for as long as it is not closed. */
export class ClientConnection {
  readonly #calls = new Map<number, Call>();
  readonly #logger = new Logger(ClientConnection.name);
  #socket: Socket | undefined;
  #writer: FrameWriter | undefined;
  #lastCall = 0;
  #attempts = 0;
  #receivedAtMs = 0;
  #retryTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    private readonly address: { readonly host: string; readonly port: number },
    private readonly onOpen: () => void,
  ) {
    this.#connect();
  }

  /** Whether a call made now goes out. */
  get isOpen(): boolean {
    return this.#writer !== undefined;
  }

  /** The number of calls that wait for their answer. */
  get size(): number {
    return this.#calls.size;
  }

  /** Rejects with ConnectionLost, DeadlineExceeded or CallFailed. */
  call(kind: FrameKind, body: string, timeoutMs: number): Promise<PresenceAnswer> {
    const writer = this.#writer;
    if (!writer) return Promise.reject(new ConnectionLost('Not connected'));
    this.#lastCall = (this.#lastCall % 0xffff_ffff) + 1;
    const call = this.#lastCall;
    const sentAtMs = performance.now();
    return new Promise((resolve, reject) => {
      const deadline = new Deadline(timeoutMs, () => this.#expire(call, sentAtMs));
      this.#calls.set(call, { resolve, reject, deadline });
      writer.push({ kind, call, body });
    });
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retryTimer);
    this.#socket?.destroy();
  }

  #connect(): void {
    const socket = connect({ ...this.address, noDelay: true, keepAlive: true });
    const reader = new FrameReader(MOST_ANSWER_BYTES);
    this.#socket = socket;
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy());
    socket.once('connect', () => this.#greet(socket));
    socket.on('data', (chunk: Buffer) => this.#receive(reader, chunk));
    // What follows is the close.
    socket.on('error', () => undefined);
    socket.once('close', () => this.#lose());
  }

  /** The system takes connections also for a process that hangs: it can be asked once it has said something. */
  #greet(socket: Socket): void {
    const writer = new FrameWriter(socket);
    writer.push({ kind: frameKinds.hello, call: 0, body: '' });
    // Before what was said is read: it may be a goodbye.
    socket.prependOnceListener('data', () => {
      socket.setTimeout(0);
      this.#attempts = 0;
      this.#writer = writer;
      this.onOpen();
    });
  }

  #receive(reader: FrameReader, chunk: Buffer): void {
    this.#receivedAtMs = performance.now();
    try {
      for (const frame of reader.read(chunk)) this.#settle(frame);
    } catch (error) {
      this.#logger.warn(`The connection was closed: ${String(error)}`);
      this.#socket?.destroy();
    }
    this.#endWhenDrained();
  }

  #settle({ kind, call: number, body }: ReadFrame): void {
    if (kind === frameKinds.goingAway) {
      this.#writer?.flush();
      this.#writer = undefined;
      return;
    }
    const call = this.#calls.get(number);
    // Answered after its deadline: nobody waits for it any more.
    if (!call) return;
    this.#calls.delete(number);
    call.deadline.stop();
    const answer = answerIn(kind, body);
    if (answer === null) call.reject(new CallFailed(body.toString()));
    else call.resolve(answer);
  }

  #expire(number: number, sentAtMs: number): void {
    this.#calls.get(number)?.reject(new DeadlineExceeded('No answer in time'));
    this.#calls.delete(number);
    // Not a byte in all that time: the path is dead, though the connection does not know it.
    if (this.#receivedAtMs < sentAtMs) this.#socket?.destroy();
    this.#endWhenDrained();
  }

  /** After a goodbye, the connection ends with its last call. */
  #endWhenDrained(): void {
    if (!this.#writer && this.#calls.size === 0) this.#socket?.end();
  }

  #lose(): void {
    this.#writer = undefined;
    const lost = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of lost) {
      call.deadline.stop();
      call.reject(new ConnectionLost('The connection was lost'));
    }
    if (this.#isClosed) return;
    const waitMs = Math.min(LEAST_RETRY_MS * 2 ** this.#attempts, MOST_RETRY_MS);
    this.#attempts += 1;
    this.#retryTimer = setTimeout(() => this.#connect(), waitMs * (0.5 + Math.random()));
  }
}

/** Null for a frame that is no answer but a failure. */
function answerIn(kind: number, body: Buffer): PresenceAnswer | null {
  switch (kind) {
    case frameKinds.answer:
      return body.toString();
    case frameKinds.gzipAnswer:
      return { encoding: 'gzip', body };
    case frameKinds.brotliAnswer:
      return { encoding: 'br', body };
    default:
      return null;
  }
}
