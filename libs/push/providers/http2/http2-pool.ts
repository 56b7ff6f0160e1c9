import { Logger } from '@nestjs/common';
import { ProxyFault } from '#platform/outbound';
import {
  type Backoff,
  backoffMs,
  counted,
  Deadline,
  type Jitter,
  Sampler,
  withJitter,
} from '#platform/core';
import { type ConnectionListener, Http2Connection } from './http2-connection.js';
import {
  Http2Exchange,
  type Http2Outcome,
  type Http2Reply,
  type Http2Request,
} from './http2-exchange.js';
import { answerOfProxyFault } from '../transport/provider-answer.rules.js';
import type { OpenedSession, OpenSession } from './open-session.js';

/** Consumed places of the array are removed in batches of this size. */
const COMPACT_AT = 1024;

/** The requests that wait for a stream, in the order of arrival. Settled requests are skipped. */
export class RequestQueue {
  #items: Http2Exchange[] = [];
  #next = 0;
  #front: Http2Exchange[] = [];

  push(exchange: Http2Exchange): void {
    this.#items.push(exchange);
  }

  /** Puts back a request that was already taken. */
  pushFront(exchange: Http2Exchange): void {
    this.#front.push(exchange);
  }

  /** The next request; undefined when none waits. */
  peek(): Http2Exchange | undefined {
    while (this.#front[0]?.isSettled) this.#front.shift();
    if (this.#front[0] !== undefined) return this.#front[0];
    while (this.#items[this.#next]?.isSettled) this.#advance();
    return this.#items[this.#next];
  }

  /** Removes and returns the next request. */
  shift(): Http2Exchange | undefined {
    const exchange = this.peek();
    if (exchange === undefined) return undefined;
    if (exchange === this.#front[0]) this.#front.shift();
    else this.#advance();
    return exchange;
  }

  /** Removes and returns all requests. */
  drain(): Http2Exchange[] {
    const all = [...this.#front, ...this.#items.slice(this.#next)];
    this.#front = [];
    this.#items = [];
    this.#next = 0;
    return all;
  }

  #advance(): void {
    this.#next += 1;
    if (this.#next < COMPACT_AT && this.#next < this.#items.length) return;
    this.#items.splice(0, this.#next);
    this.#next = 0;
  }
}

/** The options of a pool. */
interface Http2PoolSettings {
  /** For the log. */
  readonly name: string;
  readonly open: OpenSession;
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
  /** Whether an answer concerns its connection, so that the connection takes no more requests. */
  readonly retiresConnection: (reply: Http2Reply) => boolean;
}

/** How often one request is sent again when the server did not process it. */
const MAX_TRIES = 10;
/**
 * With the retired ones, which wait for their last answers, there are at most so many times the connections: a server
 * that leaves connections often and answers slowly would otherwise get one for each request.
 */
const RETIRED_FACTOR = 4;
/** The interval of the liveness checks. */
const TICK_MS = 1000;
const RECONNECT: Backoff = { firstMs: 100, maxMs: 5000 };
const JITTER: Jitter = { least: 0.5, most: 1 };

/**
 * The delay in milliseconds before the next connection after so many failures. `chance` is a random number from 0
 * up to 1: it takes off up to half, so that many processes do not connect at the same time.
 */
export const reconnectDelayMs = (failures: number, chance: number): number =>
  withJitter(backoffMs(failures, RECONNECT), JITTER, 1 - chance);

/**
 * The connections to one server, and the requests that wait for them.
 *
 * Each request is settled once, at its deadline at the latest. A request that was on the wire is sent again only if
 * the server has stated that it did not process it. If all connections are full, another one is opened, one at a
 * time.
 */
export class Http2Pool implements ConnectionListener {
  readonly #logger: Logger;
  readonly #losses = new Sampler();
  readonly #connections: Http2Connection[] = [];
  readonly #waiting = new RequestQueue();
  /** Consecutive connections that failed, or were lost before the first answer. */
  #failures = 0;
  /** No connection is opened before; a time of `performance.now()`. */
  #pausedUntil = 0;
  /** Whether the last attempt failed while there was no other connection; for the log. */
  #isDown = false;
  #reconnect: NodeJS.Timeout | undefined;
  #ticking: NodeJS.Timeout | undefined;
  #isClosing = false;
  /** The tunnel of the next connection. */
  #tunnel: { readonly opened: Promise<void>; readonly abort: AbortController } | undefined;

  constructor(private readonly settings: Http2PoolSettings) {
    this.#logger = new Logger(settings.name);
  }

  /**
   * Sends as soon as a stream is free; resolves within the deadline and never rejects. With `lateMs`, a request that was sent
   * and is not answered stays open for so long after that.
   */
  request(request: Http2Request, timeoutMs: number, lateMs?: number): Promise<Http2Outcome> {
    if (this.#isClosing) return Promise.resolve({ kind: 'unanswered', reason: 'connection' });
    return new Promise((resolve) => {
      this.#waiting.push(new Http2Exchange(request, timeoutMs, resolve, lateMs));
      this.#sendWaiting();
    });
  }

  /** Ends the connections, and settles all requests that are left. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#reconnect);
    for (const exchange of this.#waiting.drain()) exchange.giveUp('connection');
    this.#tunnel?.abort.abort();
    await this.#tunnel?.opened;
    // A copy: ended connections leave the list.
    await Promise.all(this.#connections.slice().map((connection) => connection.end()));
  }

  onCapacity(): void {
    this.#sendWaiting();
  }

  onRefusal(connection: Http2Connection, reply: Http2Reply): void {
    if (this.settings.retiresConnection(reply)) connection.retire();
  }

  onUnprocessed(exchange: Http2Exchange): void {
    exchange.reset();
    if (exchange.tries >= MAX_TRIES) {
      exchange.giveUp('connection');
      return;
    }
    this.#waiting.pushFront(exchange);
  }

  onFirstAnswer(): void {
    this.#failures = 0;
    if (this.#isDown) this.#logger.log('Connected again');
    this.#isDown = false;
  }

  onEnd(connection: Http2Connection, error: Error | undefined): void {
    this.#connections.splice(this.#connections.indexOf(connection), 1);
    if (this.#connections.length === 0) this.#stopTicking();
    if (!connection.hasAnswered) this.#noteFailure();
    if (!connection.isReady) this.#failWaiting(error);
    else if (error !== undefined || !connection.hasAnswered) this.#reportLost(error);
    this.#sendWaiting();
  }

  #sendWaiting(): void {
    while (this.#waiting.peek() !== undefined) {
      const connection = this.#connections.find(({ capacity }) => capacity > 0);
      if (connection === undefined) {
        this.#grow();
        return;
      }
      const exchange = this.#waiting.shift();
      if (exchange === undefined) return;
      if (exchange.request.isWithdrawn()) exchange.settle({ kind: 'withdrawn' });
      else if (!connection.send(exchange)) this.#waiting.pushFront(exchange);
    }
  }

  #grow(): void {
    if (this.#reconnect !== undefined || this.#tunnel !== undefined) return;
    const open = this.#connections.filter(({ isOpen }) => isOpen);
    if (open.length >= this.settings.maxConnections) return;
    if (this.#connections.length >= RETIRED_FACTOR * this.settings.maxConnections) return;
    // The capacity of a connection is known only after its first answer.
    if (open.some(({ hasAnswered, isFull }) => !hasAnswered || !isFull)) return;
    const pauseMs = this.#pausedUntil - performance.now();
    if (pauseMs <= 0) this.#connect();
    else this.#connectLater(pauseMs);
  }

  /** The pause begins here: a later request may have a deadline before its end. */
  #noteFailure(): void {
    this.#failures += 1;
    this.#pausedUntil = performance.now() + reconnectDelayMs(this.#failures, Math.random());
  }

  #connectLater(delayMs: number): void {
    this.#reconnect = setTimeout(() => {
      this.#reconnect = undefined;
      if (this.#waiting.peek() !== undefined) this.#connect();
    }, delayMs);
  }

  #connect(): void {
    const { open, connectTimeoutMs } = this.settings;
    const abort = new AbortController();
    const opened = open(abort.signal);
    if (!(opened instanceof Promise)) return this.#use(opened, connectTimeoutMs);
    this.#tunnel = { opened: this.#connectThrough(opened, abort), abort };
  }

  /** The time for the tunnel counts as time for the connection. */
  async #connectThrough(opening: Promise<OpenedSession>, abort: AbortController): Promise<void> {
    const startedAt = performance.now();
    const { connectTimeoutMs } = this.settings;
    const deadline = new Deadline(connectTimeoutMs, () => abort.abort());
    try {
      const opened = await opening;
      this.#tunnel = undefined;
      this.#use(opened, connectTimeoutMs - (performance.now() - startedAt));
    } catch (error) {
      this.#tunnel = undefined;
      this.#noteFailure();
      this.#failWaiting(error instanceof Error ? error : undefined);
      this.#sendWaiting();
    } finally {
      deadline.stop();
    }
  }

  #use(opened: OpenedSession, connectTimeoutMs: number): void {
    this.#connections.push(new Http2Connection(opened, connectTimeoutMs, this));
    this.#ticking ??= setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /** After a failed connection, requests do not wait for the next attempt unless another connection is open. */
  #failWaiting(error: Error | undefined): void {
    if (this.#connections.some(({ isReady, isOpen }) => isReady && isOpen)) return;
    if (!this.#isDown && !this.#isClosing) {
      this.#logger.warn(`No connection: ${reasonOf(error)}`);
    }
    this.#isDown = true;
    for (const exchange of this.#waiting.drain()) {
      if (error instanceof ProxyFault) exchange.settle(answerOfProxyFault(error));
      else exchange.giveUp('connection');
    }
  }

  #reportLost(error: Error | undefined): void {
    if (this.#isClosing) return;
    const count = this.#losses.take();
    if (count === null) return;
    this.#logger.warn(`Lost ${counted(count, 'connection')}, the last one: ${reasonOf(error)}`);
  }

  #tick(): void {
    // A copy: dead connections leave the list.
    for (const connection of this.#connections.slice()) connection.checkLiveness();
  }

  #stopTicking(): void {
    clearInterval(this.#ticking);
    this.#ticking = undefined;
  }
}

/** The code of the error, such as ECONNREFUSED, if it has one. */
const reasonOf = (error: Error | undefined): string =>
  error !== undefined && 'code' in error ? String(error.code) : (error?.message ?? 'it was closed');
