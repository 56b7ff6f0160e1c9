import { AsyncLocalStorage } from 'node:async_hooks';
import type * as http2 from 'node:http2';
import { Deadline } from '#platform/core';
import type { OpenSession } from '../http2/open-session.js';

/** Facts about one call that the library does not return. */
export interface ApnsCall {
  readonly startedAt: number;
  readonly isWithdrawn: () => boolean;
  /** Whether it was withdrawn before it was sent. */
  wasWithdrawn?: boolean;
  session?: ApnsSession;
  stream?: http2.ClientHttp2Stream;
  status?: number;
  retryAfter?: string;
  uniqueId?: string;
}

/** The call of the current async context. */
export const apnsCall = new AsyncLocalStorage<ApnsCall>();

/**
 * One connection to Apple, with the interface that the library expects of its HTTP/2 session.
 *
 * The library destroys its own session with all requests in flight on GOAWAY, and keeps a silent one. This session
 * is retired instead: it takes no new requests, so that the library connects again, and ends after its last answer.
 */
export class ApnsSession {
  closed = false;
  #answeredAt = 0;

  private constructor(private readonly session: http2.ClientHttp2Session) {
    session.on('goaway', () => this.retire());
    session.on('close', () => this.retire());
    session.on('error', () => this.retire());
  }

  /** Resolves with the first settings of Apple; rejects when they do not arrive in time, with ProxyFault without a tunnel. */
  static async connect(open: OpenSession, timeoutMs: number): Promise<ApnsSession> {
    const timeout = new AbortController();
    const deadline = new Deadline(timeoutMs, () => timeout.abort());
    try {
      const { session } = await open(timeout.signal);
      timeout.signal.addEventListener('abort', () => session.destroy(new Error('connect timeout')));
      await new Promise<void>((resolve, reject) => {
        session.once('remoteSettings', () => resolve());
        session.once('error', reject);
        session.once('close', () => reject(new Error('closed before it was ready')));
      });
      return new ApnsSession(session);
    } finally {
      deadline.stop();
    }
  }

  get destroyed(): boolean {
    return this.session.destroyed;
  }

  request(headers: http2.OutgoingHttpHeaders): http2.ClientHttp2Stream {
    const call = apnsCall.getStore();
    if (call?.isWithdrawn()) {
      call.wasWithdrawn = true;
      throw new Error('withdrawn');
    }
    const stream = this.session.request(headers);
    if (call !== undefined) {
      call.session = this;
      call.stream = stream;
    }
    stream.on('response', (answer) => {
      this.#answeredAt = performance.now();
      if (call === undefined) return;
      call.status = answer[':status'] ?? 0;
      const retryAfter = answer['retry-after'];
      if (typeof retryAfter === 'string') call.retryAfter = retryAfter;
      const uniqueId = answer['apns-unique-id'];
      if (typeof uniqueId === 'string') call.uniqueId = uniqueId;
    });
    return stream;
  }

  /** Whether any answer has arrived since then (a time of `performance.now()`). */
  hasAnsweredSince(time: number): boolean {
    return this.#answeredAt >= time;
  }

  /** Takes no new requests; closes after the last answer. */
  retire(): void {
    if (this.closed) return;
    this.closed = true;
    this.session.close();
  }

  /** Resolves when the connection is closed. */
  async end(): Promise<void> {
    this.retire();
    if (this.session.destroyed) return;
    await new Promise<void>((resolve) => {
      this.session.once('close', () => resolve());
    });
  }

  ping(callback: (error: Error | null, durationMs: number, payload: Buffer) => void): void {
    this.session.ping(callback);
  }

  /** Called by the library. */
  close(onClosed?: () => void): void {
    this.retire();
    onClosed?.();
  }

  /** Called by the library. */
  destroy(): void {
    this.retire();
  }
}
