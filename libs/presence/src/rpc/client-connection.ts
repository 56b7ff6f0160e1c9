import { connect, type Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import type { PresenceAnswer } from '#contracts';
import { Deadline, errorText } from '#core';
import type { CallCounters } from './call-counters.js';
import { type FrameKind, frameKinds, FrameReader, type ReadFrame } from './frame.js';
import { FrameWriter } from './frame-writer.js';
import {
  GatewayHandshake,
  HANDSHAKE_TIMEOUT_MS,
  HandshakeFailed,
  MOST_HANDSHAKE_BYTES,
} from './handshake.js';
import { RecurringError } from './recurring-error.js';

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
interface Call {
  readonly resolve: (answer: PresenceAnswer) => void;
  readonly reject: (error: Error) => void;
  readonly deadline: Deadline;
}

export interface ClientConnectionOptions {
  readonly address: { readonly host: string; readonly port: number };
  /** See connectionKey. */
  readonly key: Buffer;
  readonly counters: CallCounters;
  /** Called when the process can be asked. */
  readonly onOpen: () => void;
}

/** The connection to one presence process; it comes back by itself, for as long as it is not closed. */
export class ClientConnection {
  readonly #calls = new Map<number, Call>();
  readonly #logger = new Logger(ClientConnection.name);
  readonly #refusals = new RecurringError(this.#logger);
  #socket: Socket | undefined;
  #writer: FrameWriter | undefined;
  #lastCall = 0;
  #attempts = 0;
  #receivedAtMs = 0;
  #retryTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(private readonly options: ClientConnectionOptions) {
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
    const socket = connect({ ...this.options.address, noDelay: true, keepAlive: true });
    const reader = new FrameReader(MOST_HANDSHAKE_BYTES);
    this.#socket = socket;
    // The system accepts connections also for a process that hangs.
    const deadline = new Deadline(HANDSHAKE_TIMEOUT_MS, () => socket.destroy());
    const handshake = new GatewayHandshake(this.options.key);
    const writer = new FrameWriter(socket);
    socket.once('connect', () => writer.push(handshake.hello));
    let isOpen = false;
    socket.on('data', (chunk: Buffer) => {
      this.#read(reader, chunk, (frame) => {
        if (isOpen) {
          this.#settle(frame);
          this.#endWhenDrained();
          return;
        }
        const reply = handshake.take(frame);
        if (reply !== null) {
          writer.push(reply);
          return;
        }
        isOpen = true;
        deadline.stop();
        reader.allow(MOST_ANSWER_BYTES);
        this.#open(writer);
      });
    });
    // What follows is the close.
    socket.on('error', () => undefined);
    let wasCutShort = false;
    socket.once('end', () => {
      wasCutShort = !isOpen;
    });
    socket.once('close', () => {
      deadline.stop();
      if (wasCutShort) this.#noteUnanswered();
      this.#lose();
    });
  }

  #open(writer: FrameWriter): void {
    this.#attempts = 0;
    this.#writer = writer;
    this.options.onOpen();
  }

  #read(reader: FrameReader, chunk: Buffer, take: (frame: ReadFrame) => void): void {
    if (this.#socket?.destroyed === true) return;
    this.#receivedAtMs = performance.now();
    try {
      for (const frame of reader.read(chunk)) take(frame);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  #noteUnanswered(): void {
    const { host, port } = this.options.address;
    this.#refusals.log(`${host}:${port} ended the connection before the handshake was complete`);
  }

  #giveUp(error: unknown): void {
    const { host, port } = this.options.address;
    const about = `${host}:${port} is not asked: ${errorText(error)}`;
    if (error instanceof HandshakeFailed) {
      this.options.counters.refusedConnections += 1;
      this.#refusals.log(about);
    } else this.#logger.warn(about);
    this.#socket?.destroy();
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
