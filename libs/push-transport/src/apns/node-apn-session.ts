import { AsyncLocalStorage } from 'node:async_hooks';
import * as http2 from 'node:http2';
import { Deadline } from '#core';

/** What is learnt of one call while it runs, beyond what the client library tells. */
export interface ApnsCall {
  readonly startedAt: number;
  readonly isWithdrawn: () => boolean;
  /** Set when it was withdrawn before it was sent. */
  wasWithdrawn?: boolean;
  session?: ApnsSession;
  stream?: http2.ClientHttp2Stream;
  status?: number;
  retryAfter?: string;
}

/** The call that the present code runs for. */
export const apnsCall = new AsyncLocalStorage<ApnsCall>();

/**
 * One connection to Apple, in the shape that the client library expects of its HTTP/2 session.
 *
 * The library destroys its session, and with it whatever is under way, when Apple closes it in an
 * orderly way, and never leaves one that has gone silent. This one is retired instead: it takes
 * nothing new, so that the library asks for another, and ends when its last answer is in.
 */
export class ApnsSession {
  closed = false;
  #heardAt = 0;

  private constructor(private readonly session: http2.ClientHttp2Session) {
    session.on('goaway', () => this.retire());
    session.on('close', () => this.retire());
    // The requests under way fail with it, which is where it is told.
    session.on('error', () => this.retire());
  }

  /** Resolves when Apple has said how many requests it takes at a time; rejects when it does not. */
  static async connect(
    authority: string,
    options: http2.SecureClientSessionOptions,
    timeoutMs: number,
  ): Promise<ApnsSession> {
    const session = http2.connect(authority, options);
    const deadline = new Deadline(timeoutMs, () => session.destroy(new Error('connect timeout')));
    try {
      await new Promise<void>((resolve, reject) => {
        session.once('remoteSettings', () => resolve());
        session.once('error', reject);
        session.once('close', () => reject(new Error('closed before it was ready')));
      });
    } finally {
      deadline.stop();
    }
    return new ApnsSession(session);
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
      this.#heardAt = performance.now();
      if (call === undefined) return;
      call.status = answer[':status'] ?? 0;
      const retryAfter = answer['retry-after'];
      if (typeof retryAfter === 'string') call.retryAfter = retryAfter;
    });
    return stream;
  }

  /** Whether Apple has answered anything here since then (a time of `performance.now()`). */
  hasAnsweredSince(time: number): boolean {
    return this.#heardAt >= time;
  }

  /** Takes nothing new; closes when the last request under way has ended. */
  retire(): void {
    if (this.closed) return;
    this.closed = true;
    this.session.close();
  }

  /** Resolves when the connection is gone. */
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

  /** The library's word for "no more of this session". */
  close(onClosed?: () => void): void {
    this.retire();
    onClosed?.();
  }

  /** The library's word for the same. */
  destroy(): void {
    this.retire();
  }
}
