import {
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { Deadline } from '#platform/core';

/** One request, as the caller passes it. */
export interface Http2Request {
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer | string;
  /** Called right before the request goes on the wire: whether it must not be sent. */
  readonly isWithdrawn: () => boolean;
}

/** The response to a request. */
export interface Http2Reply {
  readonly kind: 'reply';
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** Always empty for a success, which counts as soon as its status has arrived. */
  readonly body: string;
  /** The header `apns-unique-id`. */
  readonly uniqueId?: string;
}

/** The result of a request. */
export type Http2Outcome =
  | Http2Reply
  | {
      readonly kind: 'unanswered';
      readonly reason: 'deadline' | 'connection' | 'proxy';
      /** Set if the whole request was on the wire: it may be processed. Otherwise it is not. */
      readonly wasSent?: boolean;
      /** What comes after the deadline, if the caller asked for it. */
      readonly late?: Promise<Http2Outcome>;
    }
  | { readonly kind: 'withdrawn' }
  /** Not sent: a proxy refuses the sign-in. */
  | { readonly kind: 'misconfigured'; readonly reason: 'proxy' };

/** The events of a request's stream, for its connection. */
export interface StreamListener {
  /** The body has been sent, or never will be. */
  onBodySent(): void;
  /** The response has begun. */
  onAnswer(): void;
  /** The response is not a success. */
  onRefusal(reply: Http2Reply): void;
  /** No response by the deadline; `sentAt` is a time of `performance.now()`. */
  onTimeout(sentAt: number): void;
  /** The stream is closed, and its capacity free. */
  onStreamClosed(exchange: Http2Exchange, stream: ClientHttp2Stream): void;
}

/** Longer bodies of refusals are cut, and the rest is not read. */
const MAX_BODY_BYTES = 16_384;

/** In place of the request of a finished exchange. */
const NO_REQUEST: Http2Request = { headers: {}, body: '', isWithdrawn: () => true };

/**
 * One request and its result. It is settled exactly once, at its deadline at the latest. A request that was sent may then stay
 * open for `lateMs`, and is settled once more by what comes in that time.
 */
export class Http2Exchange {
  /** How often it was on the wire. */
  tries = 0;
  #isSettled = false;
  #stream: ClientHttp2Stream | undefined;
  #listener: StreamListener | undefined;
  #sentAt = 0;
  #isBodyUnsent = false;
  #status = 0;
  #retryAfter: string | undefined;
  #uniqueId: string | string[] | undefined;
  #parts: Buffer[] = [];
  #length = 0;
  /** Whether the last stream had sent the whole request when it was closed. */
  #hadSent = false;
  #deadline: Deadline;

  constructor(
    public request: Http2Request,
    timeoutMs: number,
    private resolve: (outcome: Http2Outcome) => void,
    private lateMs = 0,
  ) {
    // Node keeps timers of the same duration in one list: this costs less than a thousandth of a request.
    this.#deadline = new Deadline(timeoutMs, () => this.#expire());
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Writes the request to a stream; `now` is a time of `performance.now()`. */
  start(stream: ClientHttp2Stream, listener: StreamListener, now: number): void {
    this.tries += 1;
    this.#stream = stream;
    this.#listener = listener;
    this.#sentAt = now;
    stream.on('response', (headers, flags) => this.#read(stream, headers, flags));
    // 'close' always follows.
    stream.on('error', ignore);
    stream.on('close', () => this.#closed(stream));
    this.#isBodyUnsent = true;
    stream.end(this.request.body, () => this.#bodySent(stream));
  }

  settle(outcome: Http2Outcome): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.resolve(outcome);
    this.#finishIfDone();
  }

  /** Settles with the part of the response that has arrived. */
  giveUp(reason: 'deadline' | 'connection' | 'proxy'): void {
    // The meaning of these does not depend on the body.
    const isEnough = this.#status === 429 || this.#status >= 500;
    if (isEnough) this.settle(this.#reply(''));
    else this.settle({ kind: 'unanswered', reason, ...(this.#wasSent && { wasSent: true }) });
  }

  /** A refusal that has begun shows that the request was not carried out. */
  get #wasSent(): boolean {
    return this.#status === 0 && (this.#stream?.writableFinished ?? this.#hadSent);
  }

  /** Discards the response of an unprocessed request before it is sent again. */
  reset(): void {
    this.#hadSent = false;
    this.#status = 0;
    this.#retryAfter = undefined;
    this.#parts = [];
    this.#length = 0;
  }

  #read(
    stream: ClientHttp2Stream,
    headers: IncomingHttpHeaders & { ':status'?: number | undefined },
    flags: number,
  ): void {
    this.#listener?.onAnswer();
    this.#status = headers[':status'] ?? 0;
    this.#retryAfter = headers['retry-after'];
    this.#uniqueId = headers['apns-unique-id'];
    const isSuccess = this.#status >= 200 && this.#status < 300;
    const isComplete = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    if (isSuccess || isComplete) {
      stream.resume();
      this.#settleWithReply(isSuccess);
      return;
    }
    stream.on('data', (part: Buffer) => this.#append(part));
    stream.on('end', () => this.#settleWithReply(false));
  }

  #append(part: Buffer): void {
    if (this.#length >= MAX_BODY_BYTES) return;
    this.#length += part.length;
    this.#parts.push(part);
    if (this.#length < MAX_BODY_BYTES) return;
    this.#settleWithReply(false);
    // It may never end.
    this.#stream?.close(constants.NGHTTP2_CANCEL);
  }

  #settleWithReply(isSuccess: boolean): void {
    if (this.#isSettled) return;
    const reply = this.#reply(Buffer.concat(this.#parts).toString());
    if (!isSuccess) this.#listener?.onRefusal(reply);
    this.settle(reply);
  }

  #reply(body: string): Http2Reply {
    const reply = {
      kind: 'reply',
      status: this.#status,
      retryAfter: this.#retryAfter,
      body,
    } as const;
    return typeof this.#uniqueId === 'string' ? { ...reply, uniqueId: this.#uniqueId } : reply;
  }

  #closed(stream: ClientHttp2Stream): void {
    this.#bodySent(stream);
    this.#hadSent = stream.writableFinished;
    this.#stream = undefined;
    this.#listener?.onStreamClosed(this, stream);
    this.#finishIfDone();
  }

  /** Also called for a stream that is destroyed before its body was sent: Node has no event for that. */
  #bodySent(stream: ClientHttp2Stream): void {
    if (!this.#isBodyUnsent || stream !== this.#stream) return;
    this.#isBodyUnsent = false;
    this.#listener?.onBodySent();
  }

  #expire(): void {
    const isUnanswered = this.#status === 0;
    const isKept = this.lateMs > 0 && !this.#isSettled && this.#wasSent;
    if (isKept) this.#keep();
    else this.giveUp('deadline');
    if (this.#stream === undefined) return;
    if (isUnanswered) this.#listener?.onTimeout(this.#sentAt);
    if (!isKept) this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  /** The stream stays open: the next result settles the late one. */
  #keep(): void {
    const { resolve } = this;
    const late = new Promise<Http2Outcome>((resolveLate) => {
      this.resolve = resolveLate;
    });
    resolve({ kind: 'unanswered', reason: 'deadline', wasSent: true, late });
    this.#deadline = new Deadline(this.lateMs, () => this.#expire());
    this.lateMs = 0;
  }

  /**
   * A settled request may still occupy its stream: the deadline then cancels the stream. Node has its streams in a Map, so
   * that many of them, with their listeners, stay in memory for a while (see TransientSet): they keep no request.
   */
  #finishIfDone(): void {
    if (!this.#isSettled || this.#stream !== undefined) return;
    this.#deadline.stop();
    this.request = NO_REQUEST;
    this.resolve = ignore;
  }
}

const ignore = () => undefined;
