import { EventEmitter } from 'node:events';
import { type ClientHttp2Session, constants } from 'node:http2';
import type { OpenedSession } from './open-session.js';

/** For tests: a stream of a FakeSession; the test plays the other side. */
export class FakeStream extends EventEmitter {
  rstCode = 0;
  isOpen = true;
  writableFinished = false;

  constructor(
    private readonly session: FakeSession,
    readonly id: number,
    readonly headers: Readonly<Record<string, unknown>>,
  ) {
    super();
  }

  /** As in Node, `onSent` is not called if the stream is destroyed before the body is sent. */
  end(_body: unknown, onSent: () => void): void {
    this.session.carry(() => {
      if (!this.isOpen) return;
      this.writableFinished = true;
      onSent();
    });
  }

  resume(): this {
    return this;
  }

  /** Answers without a body. */
  answer(status: number): void {
    if (!this.isOpen) return;
    this.emit('response', { ':status': status }, constants.NGHTTP2_FLAG_END_STREAM);
    this.close(constants.NGHTTP2_NO_ERROR);
  }

  close(code: number): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.rstCode = code;
    if (code !== constants.NGHTTP2_NO_ERROR) this.emit('error', new Error(`code ${code}`));
    this.emit('close');
    this.session.endIfOver();
  }
}

/** For tests: a session of HTTP/2 without a network. */
export class FakeSession extends EventEmitter {
  readonly streams: FakeStream[] = [];
  remoteSettings = {};
  closed = false;
  destroyed = false;
  answersPings = true;
  /** Whether it was given more streams than it allowed. */
  wasOverrun = false;
  pings = 0;
  /** Called with each stream that is opened. */
  onStream: (stream: FakeStream) => void = () => undefined;
  /** Whether the window is full, so that no body leaves. */
  holdsBodies = false;
  #held: (() => void)[] = [];
  #allowed = 0;
  #nextId = 1;

  /** The session as a pool opens it. */
  get opened(): OpenedSession {
    // The pool uses only the members of a session that this class has.
    const session = this as unknown as ClientHttp2Session;
    return { session, socket: { destroy: () => this.destroy() as never } };
  }

  get open(): FakeStream[] {
    return this.streams.filter(({ isOpen }) => isOpen);
  }

  allow(maxConcurrentStreams: number): void {
    if (this.destroyed) return;
    this.#allowed = maxConcurrentStreams;
    this.emit('remoteSettings', { maxConcurrentStreams });
  }

  request(headers: Readonly<Record<string, unknown>>): FakeStream {
    if (this.closed || this.destroyed) throw new Error('No streams any more');
    if (this.open.length >= this.#allowed) this.wasOverrun = true;
    const stream = new FakeStream(this, this.#nextId, headers);
    this.#nextId += 2;
    this.streams.push(stream);
    this.onStream(stream);
    return stream;
  }

  carry(onSent: () => void): void {
    if (this.holdsBodies) this.#held.push(onSent);
    else onSent();
  }

  releaseBodies(): void {
    this.holdsBodies = false;
    for (const onSent of this.#held.splice(0)) onSent();
  }

  ping(callback: (error: Error | null) => void): boolean {
    this.pings += 1;
    if (this.answersPings) callback(null);
    return true;
  }

  /** The other side processes nothing above this stream. */
  goAway(lastStreamId: number): void {
    if (this.destroyed) return;
    this.emit('goaway', constants.NGHTTP2_NO_ERROR, lastStreamId);
    this.close();
    for (const stream of this.open) {
      if (stream.id > lastStreamId) stream.close(constants.NGHTTP2_REFUSED_STREAM);
    }
  }

  close(): void {
    this.closed = true;
    this.endIfOver();
  }

  destroy(error?: Error): void {
    if (this.destroyed) return;
    this.destroyed = true;
    for (const stream of this.open) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    if (error !== undefined) this.emit('error', error);
    this.emit('close');
  }

  endIfOver(): void {
    if (this.closed && this.open.length === 0) this.destroy();
  }
}
