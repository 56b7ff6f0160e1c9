import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import { Deadline } from '#platform/core';
import type { Http2Exchange, Http2Reply, StreamListener } from './http2-exchange.js';
import { type OpenedSession, openStream } from './open-session.js';

/** The events of a connection. */
export interface ConnectionListener {
  /** It may have more capacity than before, or takes no more requests. */
  onCapacity(): void;
  /** The first answer has arrived. */
  onFirstAnswer(): void;
  onRefusal(connection: Http2Connection, reply: Http2Reply): void;
  /** A request was on the wire and was certainly not processed. */
  onUnprocessed(exchange: Http2Exchange): void;
  /** The connection is closed, or could not be opened; with the error, if there was one. */
  onEnd(connection: Http2Connection, error: Error | undefined): void;
}

/** More streams do not make one connection any faster. */
const MAX_STREAMS = 1000;
/**
 * Silence is counted in ticks of one second and not in time: all received data is read between two ticks, also
 * after this process was blocked.
 */
const LIVENESS_TICKS = {
  /** Silence with requests in flight until a ping. */
  busy: 2,
  /** Silence without requests until a ping; it keeps the connection alive in middleboxes. */
  idle: 60,
  /** After as much silence the next request is sent together with a ping. */
  stale: 10,
  /** A connection is dead if a ping is not answered within this. */
  ping: 3,
} as const;
/**
 * While bodies have been unsent for longer than this, no new stream is opened. When the window of the connection is
 * full, nghttp2 prefers the bodies of new streams, and the rest of a body that it has begun would wait for them.
 */
const MAX_UNSENT_MS = 50;
/** The time that a finished connection has for its orderly end. */
const LINGER_MS = 1000;

/**
 * One connection. Keeps the requests in flight below the server's limit and checks its liveness. A retired
 * connection takes no new requests and ends with its last answer.
 */
export class Http2Connection implements StreamListener {
  readonly #session: ClientHttp2Session;
  readonly #socket: OpenedSession['socket'];
  readonly #ended: Promise<void>;
  /** The server's limit of concurrent streams; 0 before its settings have arrived. */
  #maxStreams = 0;
  #active = 0;
  #unsentBodies = 0;
  /** Since when there are unsent bodies; a time of `performance.now()`. */
  #unsentSince = 0;
  #isCongested = false;
  #isReady = false;
  #hasAnswered = false;
  #isRetired = false;
  #error: Error | undefined;
  #lingering: NodeJS.Timeout | undefined;
  /** A time of `performance.now()`. */
  #answeredAt = 0;
  #silentTicks = 0;
  /** The silent ticks since an unanswered ping; undefined without one. */
  #pingTicks: number | undefined;
  #goaway:
    { readonly code: number; readonly lastStreamId: number; readonly text: string } | undefined;

  constructor(
    { session, socket }: OpenedSession,
    connectTimeoutMs: number,
    private readonly listener: ConnectionListener,
  ) {
    this.#session = session;
    this.#socket = socket;
    const handshake = new Deadline(connectTimeoutMs, () =>
      this.#abandon(new Error('No answer in time')),
    );
    session.on('remoteSettings', ({ maxConcurrentStreams = MAX_STREAMS }) => {
      if (maxConcurrentStreams > 0) {
        handshake.stop();
        this.#allowStreams(Math.min(maxConcurrentStreams, MAX_STREAMS));
      } else if (this.#isReady) {
        // The server takes no more requests here, and may never take any again.
        this.retire();
      }
    });
    session.on('goaway', (code, lastStreamId, data) => {
      this.#goaway = { code, lastStreamId, text: goawayText(code, data) };
      this.retire();
    });
    // 'close' follows. A retired connection may end in any way.
    session.on('error', (error) => {
      if (!this.#isRetired) this.#error ??= error;
    });
    this.#ended = new Promise((resolve) => {
      session.on('close', () => {
        handshake.stop();
        clearTimeout(this.#lingering);
        this.#isRetired = true;
        listener.onEnd(this, this.#cause);
        resolve();
      });
    });
  }

  /** How many more requests can be sent now. */
  get capacity(): number {
    return this.#isRetired || this.#isCongested ? 0 : this.#maxStreams - this.#active;
  }

  /** Whether as many requests are in flight as the server allows. */
  get isFull(): boolean {
    return this.#active >= this.#maxStreams;
  }

  get isOpen(): boolean {
    return !this.#isRetired;
  }

  /** Whether the server's settings have arrived. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Whether an answer has arrived: until then Apple allows a single request. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Sends a request; requires capacity. False if Node has already closed the session. */
  send(exchange: Http2Exchange): boolean {
    const stream = this.#openStream(exchange);
    if (stream === undefined) return false;
    this.#active += 1;
    if (this.#active === 1) this.#startWaiting();
    const now = performance.now();
    if (this.#unsentBodies === 0) this.#unsentSince = now;
    this.#unsentBodies += 1;
    this.#isCongested = now - this.#unsentSince > MAX_UNSENT_MS;
    exchange.start(stream, this, now);
    return true;
  }

  /** Takes no new requests; ends after the last answer. */
  retire(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    this.#session.close();
    if (this.#active === 0) this.#linger();
    this.listener.onCapacity();
  }

  /** Ends within a second, also with requests in flight; resolves when it is closed. */
  end(): Promise<void> {
    this.retire();
    this.#linger();
    return this.#ended;
  }

  /** Called with each tick: pings a silent connection, and ends a dead one. */
  checkLiveness(): void {
    // The handshake has a deadline of its own; a destroyed session cannot be pinged.
    if (!this.#isReady || this.#session.destroyed) return;
    this.#silentTicks += 1;
    if (this.#pingTicks !== undefined) {
      this.#pingTicks += 1;
      if (this.#pingTicks > LIVENESS_TICKS.ping) this.#abandon(new Error('No answer to a ping'));
    } else if (this.#silentTicks >= LIVENESS_TICKS[this.#active > 0 ? 'busy' : 'idle']) {
      this.#ping();
    }
  }

  onBodySent(): void {
    this.#unsentBodies -= 1;
    if (!this.#isCongested || this.#unsentBodies > 0) return;
    this.#isCongested = false;
    this.listener.onCapacity();
  }

  onAnswer(): void {
    this.#noteActivity();
    this.#answeredAt = performance.now();
    if (this.#hasAnswered) return;
    this.#hasAnswered = true;
    this.listener.onFirstAnswer();
  }

  onRefusal(reply: Http2Reply): void {
    this.listener.onRefusal(this, reply);
  }

  onTimeout(sentAt: number): void {
    // Other answers since then: only that request is slow, and the connection is alive.
    if (this.#answeredAt >= sentAt) return;
    this.#error ??= new Error('No answer to any request in time');
    this.retire();
  }

  onStreamClosed(exchange: Http2Exchange, stream: ClientHttp2Stream): void {
    this.#active -= 1;
    if (!exchange.isSettled) {
      if (this.#isUnprocessed(stream)) {
        // First, so that the request is sent again over another connection.
        this.retire();
        this.listener.onUnprocessed(exchange);
      } else {
        exchange.giveUp('connection');
      }
    }
    if (this.#isRetired && this.#active === 0) this.#linger();
    this.listener.onCapacity();
  }

  /** Why it ended; undefined for an orderly end. */
  get #cause(): Error | undefined {
    const isOrderly = this.#goaway?.code === constants.NGHTTP2_NO_ERROR && this.#hasAnswered;
    return this.#goaway === undefined || isOrderly ? this.#error : new Error(this.#goaway.text);
  }

  #allowStreams(count: number): void {
    this.#isReady = true;
    this.#maxStreams = count;
    this.#noteActivity();
    this.listener.onCapacity();
  }

  #openStream(exchange: Http2Exchange): ClientHttp2Stream | undefined {
    try {
      return openStream(this.#session, exchange.request.headers);
    } catch {
      // Node has closed the session; its event follows.
      this.retire();
      return undefined;
    }
  }

  /** RFC 9113, 6.8 and 8.7: in these two cases the server has not processed a request. */
  #isUnprocessed({ id, rstCode }: ClientHttp2Stream): boolean {
    if (this.#goaway !== undefined && id !== undefined && id > this.#goaway.lastStreamId) {
      return true;
    }
    // Node gives the streams of a session that ended with an error that error's code.
    const isOfStream = this.#goaway === undefined || this.#goaway.code === 0;
    return isOfStream && rstCode === constants.NGHTTP2_REFUSED_STREAM;
  }

  #startWaiting(): void {
    if (this.#silentTicks >= LIVENESS_TICKS.stale && this.#pingTicks === undefined) this.#ping();
    this.#silentTicks = 0;
  }

  #noteActivity(): void {
    this.#silentTicks = 0;
    if (this.#pingTicks !== undefined) this.#pingTicks = 0;
  }

  #ping(): void {
    this.#pingTicks = 0;
    this.#session.ping((error) => {
      if (error !== null) return;
      this.#pingTicks = undefined;
      this.#silentTicks = 0;
    });
  }

  /** Ends at once; requests in flight are lost. */
  #abandon(error?: Error): void {
    this.#isRetired = true;
    this.#error ??= error;
    this.#session.destroy();
    this.#socket.destroy();
  }

  /** Destroys the socket after a while: over a broken path the orderly end is never confirmed. */
  #linger(): void {
    this.#lingering ??= setTimeout(() => this.#abandon(), LINGER_MS).unref();
  }
}

/** Longer data are cut. */
const MAX_GOAWAY_DATA = 200;

/** The data are optional; Apple names its reason there. */
function goawayText(code: number, data: Buffer | undefined): string {
  const given = data?.toString('utf8', 0, MAX_GOAWAY_DATA).replaceAll(/\p{Cc}/gu, ' ') ?? '';
  return `GOAWAY with code ${code}${given === '' ? '' : `: ${given}`}`;
}
