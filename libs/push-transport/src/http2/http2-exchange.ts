import {
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { Deadline } from '#core';

/** One request, as the caller hands it in. */
export interface Http2Request {
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer | string;
  /** Asked whenever it is about to go on the wire: whether it must not any more. */
  readonly isWithdrawn: () => boolean;
}

/** What the other side answered. */
export interface Http2Reply {
  readonly kind: 'reply';
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** Of a success always empty: it counts as soon as its status is there. */
  readonly body: string;
}

/** What came of a request. */
export type Http2Outcome =
  | Http2Reply
  /** No telling whether it was processed. */
  | { readonly kind: 'unanswered'; readonly reason: 'deadline' | 'connection' }
  | { readonly kind: 'withdrawn' };

/** What a request travels on; it is told what is heard of it. */
export interface Http2Carrier {
  /** The body has left for the other side, or never will. */
  sentBody(): void;
  /** The other side has begun to answer. */
  heardAnswer(): void;
  /** The other side has answered with something else than success. */
  wasRefused(reply: Http2Reply): void;
  /** There was no answer in time to what was sent then (a time of `performance.now()`). */
  heardNothingSince(sentAt: number): void;
  /** The stream is gone, and its place free. */
  hasLeft(exchange: Http2Exchange, stream: ClientHttp2Stream): void;
}

/** No answer that says why something was refused is longer. */
const MOST_BODY_BYTES = 16_384;

/** One request and what becomes of it: settled exactly once, at its deadline at the latest. */
export class Http2Exchange {
  /** How often it was on the wire. */
  tries = 0;
  #isSettled = false;
  #stream: ClientHttp2Stream | undefined;
  #carrier: Http2Carrier | undefined;
  #sentAt = 0;
  #isBodyUnsent = false;
  #status = 0;
  #retryAfter: string | undefined;
  #parts: Buffer[] = [];
  #length = 0;
  readonly #deadline: Deadline;

  constructor(
    readonly request: Http2Request,
    deadlineInMs: number,
    private readonly resolve: (outcome: Http2Outcome) => void,
  ) {
    // Timers of the same length are one list in Node: this costs less than a thousandth of a request.
    this.#deadline = new Deadline(deadlineInMs, () => this.#expire());
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Puts it on the wire; `now` is a time of `performance.now()`. */
  travel(stream: ClientHttp2Stream, carrier: Http2Carrier, now: number): void {
    this.tries += 1;
    this.#stream = stream;
    this.#carrier = carrier;
    this.#sentAt = now;
    stream.on('response', (headers, flags) => this.#read(stream, headers, flags));
    // It says nothing that 'close', which always follows, does not.
    stream.on('error', ignore);
    stream.on('close', () => this.#leave(stream));
    this.#isBodyUnsent = true;
    stream.end(this.request.body, () => this.#bodyIsGone(stream));
  }

  settle(outcome: Http2Outcome): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.resolve(outcome);
    this.#stopDeadlineIfOver();
  }

  /** There will be no more of an answer than there is. */
  giveUp(reason: 'deadline' | 'connection'): void {
    // Of a refusal only these mean the same without their body.
    const isEnough = this.#status === 429 || this.#status >= 500;
    this.settle(isEnough ? this.#reply('') : { kind: 'unanswered', reason });
  }

  /** It was on the wire and surely not processed: as if it had not been. */
  startOver(): void {
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
    this.#carrier?.heardAnswer();
    this.#status = headers[':status'] ?? 0;
    this.#retryAfter = headers['retry-after'];
    const isSuccess = this.#status >= 200 && this.#status < 300;
    const isWhole = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    if (isSuccess || isWhole) {
      stream.resume();
      this.#settleWithReply(isSuccess);
      return;
    }
    stream.on('data', (part: Buffer) => this.#keep(part));
    stream.on('end', () => this.#settleWithReply(false));
  }

  #keep(part: Buffer): void {
    if (this.#length >= MOST_BODY_BYTES) return;
    this.#length += part.length;
    this.#parts.push(part);
  }

  #settleWithReply(isSuccess: boolean): void {
    if (this.#isSettled) return;
    const reply = this.#reply(Buffer.concat(this.#parts).toString());
    if (!isSuccess) this.#carrier?.wasRefused(reply);
    this.settle(reply);
  }

  #reply(body: string): Http2Reply {
    return { kind: 'reply', status: this.#status, retryAfter: this.#retryAfter, body };
  }

  #leave(stream: ClientHttp2Stream): void {
    this.#bodyIsGone(stream);
    this.#stream = undefined;
    this.#carrier?.hasLeft(this, stream);
    this.#stopDeadlineIfOver();
  }

  /** Node does not say so of a stream that is destroyed before its body has left. */
  #bodyIsGone(stream: ClientHttp2Stream): void {
    if (!this.#isBodyUnsent || stream !== this.#stream) return;
    this.#isBodyUnsent = false;
    this.#carrier?.sentBody();
  }

  #expire(): void {
    const isUnanswered = this.#status === 0;
    this.giveUp('deadline');
    if (this.#stream === undefined) return;
    if (isUnanswered) this.#carrier?.heardNothingSince(this.#sentAt);
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  /** A stream whose success is known may still not end: it is given its place only until the deadline. */
  #stopDeadlineIfOver(): void {
    if (this.#isSettled && this.#stream === undefined) this.#deadline.stop();
  }
}

const ignore = () => undefined;
