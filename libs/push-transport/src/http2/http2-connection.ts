import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import { Deadline } from '#core';
import type { Http2Carrier, Http2Exchange, Http2Reply } from './http2-exchange.js';
import { lightRequest } from './light-request.js';
import type { OpenedSession } from './open-session.js';

/** What the pool is told of a connection. */
export interface ConnectionListener {
  /** It has room for more than a moment ago, or takes nothing any more. */
  hasChanged(): void;
  /** The first answer came over it. */
  hasProven(): void;
  wasRefused(connection: Http2Connection, reply: Http2Reply): void;
  /** A request that was on the wire and surely not processed. */
  wasNotProcessed(exchange: Http2Exchange): void;
  /** It is gone, or never came to be; `error` where there was one. */
  hasEnded(connection: Http2Connection, error: Error | undefined): void;
}

/** Whatever the other side allows: more do not make one connection any faster. */
const MOST_STREAMS = 1000;
/**
 * Patience is counted in beats, of a second each, and not in time: between two beats whatever has arrived
 * was read, also when this process had been held up for long.
 */
const patience = {
  /** With requests under way so much silence is answered by a ping; as much as this is nothing unusual. */
  busy: 2,
  /** Without any: often enough that what lies between does not forget the connection. */
  idle: 60,
  /** After as much silence a request does not go without a ping beside it. */
  doubtful: 10,
  /** A connection that answers no ping in this is dead. */
  ping: 3,
} as const;
/**
 * When bodies have not all been on their way for this long, no new request is begun until they are. The
 * window of the connection may be full, and then nghttp2 prefers the bodies of new streams to the rest of
 * one that it has begun to send, which would wait for as long as new ones come.
 */
const LONGEST_UNSENT_MS = 50;
/** How long a connection that has nothing left to do may take to say goodbye. */
const LINGER_MS = 1000;

/**
 * One connection: never has more requests under way than the other side allows at the moment, and
 * knows whether it still lives. Once it is retired it takes nothing new and ends with its last answer.
 */
export class Http2Connection implements Http2Carrier {
  readonly #session: ClientHttp2Session;
  readonly #socket: OpenedSession['socket'];
  readonly #ended: Promise<void>;
  /** How many requests the other side allows; none before it has said so. */
  #allowed = 0;
  #active = 0;
  #unsentBodies = 0;
  /** Since when there have been any; a time of `performance.now()`. */
  #unsentSince = 0;
  #isChoked = false;
  #isReady = false;
  #isProven = false;
  #isRetired = false;
  #error: Error | undefined;
  #lingering: NodeJS.Timeout | undefined;
  /** A time of `performance.now()`. */
  #answeredAt = 0;
  /** Beats in which nothing was heard, since there was something to be heard. */
  #quietBeats = 0;
  /** The same since a ping that is not answered yet; undefined when there is none. */
  #pingBeats: number | undefined;
  #goaway: { readonly code: number; readonly lastStreamId: number } | undefined;

  constructor(
    { session, socket }: OpenedSession,
    connectTimeoutMs: number,
    private readonly listener: ConnectionListener,
  ) {
    this.#session = session;
    this.#socket = socket;
    const greeting = new Deadline(connectTimeoutMs, () =>
      this.#abandon(new Error('No answer in time')),
    );
    session.on('remoteSettings', ({ maxConcurrentStreams = MOST_STREAMS }) => {
      greeting.stop();
      this.#allow(Math.min(maxConcurrentStreams, MOST_STREAMS));
    });
    session.on('goaway', (code, lastStreamId) => {
      this.#goaway = { code, lastStreamId };
      this.retire();
    });
    // Followed by 'close'.
    session.on('error', (error) => {
      this.#error ??= error;
    });
    this.#ended = new Promise((resolve) => {
      session.on('close', () => {
        greeting.stop();
        clearTimeout(this.#lingering);
        this.#isRetired = true;
        listener.hasEnded(this, this.#error);
        resolve();
      });
    });
  }

  /** How many more requests it takes at the moment. */
  get room(): number {
    return this.#isRetired || this.#isChoked ? 0 : this.#allowed - this.#active;
  }

  /** Whether it has as much under way as the other side allows. */
  get isFull(): boolean {
    return this.#active >= this.#allowed;
  }

  get isOpen(): boolean {
    return !this.#isRetired;
  }

  /** Whether the other side has said how much it takes. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Whether anything was answered on it: before that Apple allows a single request. */
  get isProven(): boolean {
    return this.#isProven;
  }

  /** Sends; false when the connection turns out to take nothing any more. Only where there is room. */
  send(exchange: Http2Exchange): boolean {
    const stream = this.#openStream(exchange);
    if (stream === undefined) return false;
    this.#active += 1;
    if (this.#active === 1) this.#beginToWait();
    const now = performance.now();
    if (this.#unsentBodies === 0) this.#unsentSince = now;
    this.#unsentBodies += 1;
    this.#isChoked = now - this.#unsentSince > LONGEST_UNSENT_MS;
    exchange.travel(stream, this, now);
    return true;
  }

  /** Takes nothing new; ends when the last request under way has. */
  retire(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    this.#session.close();
    if (this.#active === 0) this.#linger();
    this.listener.hasChanged();
  }

  /** Ends it, also what may still be under way a moment later; resolves when it is gone. */
  end(): Promise<void> {
    this.retire();
    this.#linger();
    return this.#ended;
  }

  /** Called with each beat: looks whether it still lives, and ends it when it does not. */
  watch(): void {
    // Its making has a time limit of its own, and what is destroyed cannot be asked.
    if (!this.#isReady || this.#session.destroyed) return;
    this.#quietBeats += 1;
    if (this.#pingBeats !== undefined) {
      this.#pingBeats += 1;
      if (this.#pingBeats > patience.ping) this.#abandon(new Error('No answer to a ping'));
    } else if (this.#quietBeats >= (this.#active > 0 ? patience.busy : patience.idle)) {
      this.#ping();
    }
  }

  sentBody(): void {
    this.#unsentBodies -= 1;
    if (!this.#isChoked || this.#unsentBodies > 0) return;
    this.#isChoked = false;
    this.listener.hasChanged();
  }

  heardAnswer(): void {
    this.#hear();
    this.#answeredAt = performance.now();
    if (this.#isProven) return;
    this.#isProven = true;
    this.listener.hasProven();
  }

  wasRefused(reply: Http2Reply): void {
    this.listener.wasRefused(this, reply);
  }

  heardNothingSince(sentAt: number): void {
    // When others are answered on it, it is that request that is slow, and not the connection that is dead.
    if (this.#answeredAt < sentAt) this.retire();
  }

  hasLeft(exchange: Http2Exchange, stream: ClientHttp2Stream): void {
    this.#active -= 1;
    if (!exchange.isSettled) {
      if (this.#wasNotProcessed(stream)) {
        // Before it is sent again: it has to go over another connection.
        this.retire();
        this.listener.wasNotProcessed(exchange);
      } else {
        exchange.giveUp('connection');
      }
    }
    if (this.#isRetired && this.#active === 0) this.#linger();
    this.listener.hasChanged();
  }

  #allow(streams: number): void {
    this.#isReady = true;
    this.#allowed = streams;
    this.#hear();
    this.listener.hasChanged();
  }

  #openStream(exchange: Http2Exchange): ClientHttp2Stream | undefined {
    try {
      return lightRequest(this.#session, exchange.request.headers);
    } catch {
      // Node has closed the session, and tells a moment later.
      this.retire();
      return undefined;
    }
  }

  /** RFC 9113, 6.8 and 8.7: these two are what a server says of requests that it has not looked at. */
  #wasNotProcessed({ id, rstCode }: ClientHttp2Stream): boolean {
    if (this.#goaway !== undefined && id !== undefined && id > this.#goaway.lastStreamId) {
      return true;
    }
    // Node gives the streams of a session that ended with an error that error's code.
    const isOfStream = this.#goaway === undefined || this.#goaway.code === 0;
    return isOfStream && rstCode === constants.NGHTTP2_REFUSED_STREAM;
  }

  #beginToWait(): void {
    if (this.#quietBeats >= patience.doubtful && this.#pingBeats === undefined) this.#ping();
    this.#quietBeats = 0;
  }

  #hear(): void {
    this.#quietBeats = 0;
    if (this.#pingBeats !== undefined) this.#pingBeats = 0;
  }

  #ping(): void {
    this.#pingBeats = 0;
    this.#session.ping((error) => {
      if (error !== null) return;
      this.#pingBeats = undefined;
      this.#quietBeats = 0;
    });
  }

  /** Ends it as it is; what is under way on it is lost. */
  #abandon(error?: Error): void {
    this.#isRetired = true;
    this.#error ??= error;
    this.#session.destroy();
    this.#socket.destroy();
  }

  /** There is nothing left to wait for: a path that is broken must not keep the socket. */
  #linger(): void {
    this.#lingering ??= setTimeout(() => this.#abandon(), LINGER_MS).unref();
  }
}
