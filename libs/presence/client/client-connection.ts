import { connect, type Socket } from 'node:net';
import type { ServerAddress } from '#platform/config';
import { MEBIBYTE } from '#platform/contracts';
import { type Backoff, backoffMs, Deadline, type Jitter, withJitter } from '#platform/core';
import {
  type FrameKind,
  frameKinds,
  FrameReader,
  FrameWriter,
  GatewayHandshake,
  HANDSHAKE_TIMEOUT_MS,
  HandshakeFailed,
  MAX_HANDSHAKE_BYTES,
  type PresenceAnswer,
  type FrameReading,
} from '#presence/rpc';
import type { CallCounters } from './client-metrics.js';
import { ConnectionLog } from './connection-log.js';

/** The connection was lost before the answer; the call may be repeated at another process. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** The answer did not arrive in time. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** No presence process can take the call now. */
export class PresenceUnavailable extends Error {
  override readonly name = 'PresenceUnavailable';
}

/** The presence program refused the request; a retry would not help. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
}

/** Enough for the presence of a realm with a few hundred thousand users. */
const MAX_ANSWER_BYTES = 64 * MEBIBYTE;

/** Short, because the polls of a whole organisation wait for a process that starts. */
const RETRY: Backoff = { firstMs: 50, maxMs: 400 };
const RETRY_JITTER: Jitter = { least: 0.5, most: 1.5 };

/** A call is sent a little later than its deadline begins. */
const SILENCE_SHARE = 0.9;

interface Settling {
  readonly resolve: (answer: PresenceAnswer) => void;
  readonly reject: (error: Error) => void;
  readonly deadline: Deadline;
}

/**
 * A call in flight. An ended one refers to nothing: V8 keeps former entries of a Map for a while (see TransientSet), and an
 * answer holds a whole block of received bytes.
 */
class Call {
  #settling: Settling | undefined;

  constructor(settling: Settling) {
    this.#settling = settling;
  }

  resolve(answer: PresenceAnswer): void {
    this.#end()?.resolve(answer);
  }

  reject(error: Error): void {
    this.#end()?.reject(error);
  }

  #end(): Settling | undefined {
    const settling = this.#settling;
    this.#settling = undefined;
    settling?.deadline.stop();
    return settling;
  }
}

/** The process of a connection, and the listeners of its owner. */
export interface ClientConnectionOptions {
  readonly address: ServerAddress;
  /** See connectionKey. */
  readonly key: Buffer;
  readonly counters: CallCounters;
  /** The connection is dead if no byte arrives for about this time after a call; in milliseconds. */
  readonly silenceMs: number;
  /** Called after each successful handshake. */
  readonly onOpen: () => void;
  /** Called when users of a realm came online. */
  readonly onOnline: (realmId: number) => void;
}

/** The connection to one presence process. It reconnects until it is closed. */
export class ClientConnection {
  readonly #calls = new Map<number, Call>();
  readonly #log: ConnectionLog;
  #socket: Socket | undefined;
  #writer: FrameWriter | undefined;
  #lastCall = 0;
  #attempts = 0;
  #receivedAtMs = 0;
  #retryTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(private readonly options: ClientConnectionOptions) {
    this.#log = new ConnectionLog(options.address);
    this.#connect();
  }

  /** Whether calls can be sent. */
  get isOpen(): boolean {
    return this.#writer !== undefined;
  }

  /** The number of calls in flight. */
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
      this.#calls.set(call, new Call({ resolve, reject, deadline }));
      writer.push({ kind, call, body });
    });
  }

  /** Takes no more calls, and closes after the last call in flight. Resolves when the connection is closed. */
  async retire(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retryTimer);
    this.#writer?.flush();
    this.#writer = undefined;
    const socket = this.#socket;
    if (!socket || socket.closed) return;
    const closed = new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
    });
    this.#endWhenDrained();
    await closed;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retryTimer);
    this.#socket?.destroy();
  }

  #connect(): void {
    const socket = connect({ ...this.options.address, noDelay: true, keepAlive: true });
    const reader = new FrameReader(MAX_HANDSHAKE_BYTES);
    this.#socket = socket;
    // The operating system accepts connections even for a process that hangs.
    const deadline = new Deadline(HANDSHAKE_TIMEOUT_MS, () => socket.destroy());
    const handshake = new GatewayHandshake(this.options.key);
    const writer = new FrameWriter(socket);
    socket.once('connect', () => writer.push(handshake.hello));
    let isOpen = false;
    socket.on('data', (chunk: Buffer) => {
      this.#readFrames(reader, chunk, (frame) => {
        if (isOpen) {
          this.#settleCall(frame);
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
        reader.allow(MAX_ANSWER_BYTES);
        this.#markOpen(writer);
      });
    });
    let failure: Error | undefined;
    // A close event follows.
    socket.on('error', (error) => {
      failure = error;
    });
    let wasCutShort = false;
    socket.once('end', () => {
      wasCutShort = !isOpen;
    });
    socket.once('close', () => {
      deadline.stop();
      if (wasCutShort) this.#log.cutShort();
      this.#handleClose(isOpen, failure);
    });
  }

  #markOpen(writer: FrameWriter): void {
    this.#attempts = 0;
    this.#writer = writer;
    this.#log.opened();
    this.options.onOpen();
  }

  #readFrames(reader: FrameReader, chunk: Buffer, take: (frame: FrameReading) => void): void {
    if (this.#socket?.destroyed === true) return;
    this.#receivedAtMs = performance.now();
    try {
      for (const frame of reader.read(chunk)) take(frame);
    } catch (error) {
      this.#closeOnError(error);
    }
  }

  #closeOnError(error: unknown): void {
    if (error instanceof HandshakeFailed) {
      this.options.counters.refusedConnections += 1;
      this.#log.refused(error);
    } else this.#log.failed(error);
    this.#socket?.destroy();
  }

  #settleCall({ kind, call: number, body }: FrameReading): void {
    if (kind === frameKinds.goingAway) {
      this.#writer?.flush();
      this.#writer = undefined;
      return;
    }
    if (kind === frameKinds.online) {
      this.options.onOnline(Number(body.toString()));
      return;
    }
    const call = this.#calls.get(number);
    // The call expired before its answer arrived.
    if (!call) return;
    this.#calls.delete(number);
    const answer = answerIn(kind, body);
    if (answer === null) call.reject(new CallFailed(body.toString()));
    else call.resolve(answer);
  }

  #expire(number: number, sentAtMs: number): void {
    this.#calls.get(number)?.reject(new DeadlineExceeded('No answer in time'));
    this.#calls.delete(number);
    // The network path is dead, though the socket does not report it. A call that was sent again has less time, and its
    // expiry says nothing about the connection.
    const isSilent = performance.now() - sentAtMs > SILENCE_SHARE * this.options.silenceMs;
    if (isSilent && this.#receivedAtMs < sentAtMs) this.#socket?.destroy();
    this.#endWhenDrained();
  }

  /** After either side has announced the close, the connection ends with its last call. */
  #endWhenDrained(): void {
    if (this.#writer || this.#calls.size > 0) return;
    // The socket is possibly not connected yet, so that end() could wait for ever.
    if (this.#isClosed) this.#socket?.destroy();
    else this.#socket?.end();
  }

  #handleClose(wasOpen: boolean, failure: Error | undefined): void {
    this.#writer = undefined;
    const lost = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of lost) call.reject(new ConnectionLost('The connection was lost'));
    if (this.#isClosed) return;
    this.#attempts += 1;
    this.#log.lost(wasOpen, this.#attempts, failure);
    const waitMs = withJitter(backoffMs(this.#attempts, RETRY), RETRY_JITTER);
    this.#retryTimer = setTimeout(() => this.#connect(), waitMs);
  }
}

/** Null for a failure. */
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
