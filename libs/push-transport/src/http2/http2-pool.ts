import { Logger } from '@nestjs/common';
import { type ConnectionListener, Http2Connection } from './http2-connection.js';
import {
  Http2Exchange,
  type Http2Outcome,
  type Http2Reply,
  type Http2Request,
} from './http2-exchange.js';
import type { OpenSession } from './open-session.js';
import { reconnectDelayMs } from './reconnect-delay.rules.js';
import { WaitingLine } from './waiting-line.js';

export interface Http2PoolSettings {
  /** For the log. */
  readonly name: string;
  readonly open: OpenSession;
  readonly mostConnections: number;
  readonly connectTimeoutMs: number;
  /** Whether an answer speaks of the connection that it came over, so that this one is left. */
  readonly leavesConnection: (reply: Http2Reply) => boolean;
}

/** How often one request may be told that it was not processed. */
const MOST_TRIES = 10;
/** The beat that the patience of connections is counted in. */
const BEAT_MS = 1000;

/**
 * The connections to one server, and who waits for them.
 *
 * Each request is settled once, at its deadline at the latest. One that was on the wire is sent again only
 * when the server has said that it did not process it. Connections are made when those that are there are
 * full, one at a time.
 */
export class Http2Pool implements ConnectionListener {
  readonly #logger: Logger;
  readonly #connections: Http2Connection[] = [];
  readonly #waiting = new WaitingLine();
  /** Connections in a row that were not made, or were lost before anything was answered on them. */
  #failures = 0;
  /** No connection is made before then; a time of `performance.now()`. */
  #restsUntil = 0;
  /** Since a connection was tried in vain and there was no other; for the log. */
  #isOut = false;
  #reconnect: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;
  #isClosing = false;

  constructor(private readonly settings: Http2PoolSettings) {
    this.#logger = new Logger(settings.name);
  }

  /** Sends once there is room for it; resolves within the deadline, and never rejects. */
  request(request: Http2Request, deadlineInMs: number): Promise<Http2Outcome> {
    if (this.#isClosing) return Promise.resolve({ kind: 'unanswered', reason: 'connection' });
    return new Promise((resolve) => {
      this.#waiting.join(new Http2Exchange(request, deadlineInMs, resolve));
      this.#pump();
    });
  }

  /** Ends the connections, and whatever the caller has not waited for. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#reconnect);
    for (const exchange of this.#waiting.dismiss()) exchange.giveUp('connection');
    // Those that have ended leave the list meanwhile.
    await Promise.all(this.#connections.slice().map((connection) => connection.end()));
  }

  hasChanged(): void {
    this.#pump();
  }

  wasRefused(connection: Http2Connection, reply: Http2Reply): void {
    if (this.settings.leavesConnection(reply)) connection.retire();
  }

  wasNotProcessed(exchange: Http2Exchange): void {
    if (exchange.tries >= MOST_TRIES) {
      exchange.giveUp('connection');
      return;
    }
    exchange.startOver();
    this.#waiting.joinInFront(exchange);
  }

  hasProven(): void {
    this.#failures = 0;
    if (this.#isOut) this.#logger.log('Connected again');
    this.#isOut = false;
  }

  hasEnded(connection: Http2Connection, error: Error | undefined): void {
    this.#connections.splice(this.#connections.indexOf(connection), 1);
    if (this.#connections.length === 0) this.#stopWatching();
    if (!connection.isProven) this.#failed();
    if (!connection.isReady) this.#failWaiting(error);
    this.#pump();
  }

  /** Sends what there is room for, and sees to more room. */
  #pump(): void {
    while (this.#waiting.first() !== undefined) {
      const connection = this.#connections.find(({ room }) => room > 0);
      if (connection === undefined) {
        this.#grow();
        return;
      }
      const exchange = this.#waiting.callUp();
      if (exchange === undefined) return;
      if (exchange.request.isWithdrawn()) exchange.settle({ kind: 'withdrawn' });
      else if (!connection.send(exchange)) this.#waiting.joinInFront(exchange);
    }
  }

  #grow(): void {
    if (this.#reconnect !== undefined) return;
    const open = this.#connections.filter(({ isOpen }) => isOpen);
    if (open.length >= this.settings.mostConnections) return;
    // Of one that nothing was answered on it is not known yet how much it is going to take.
    if (open.some(({ isProven, isFull }) => !isProven || !isFull)) return;
    const restMs = this.#restsUntil - performance.now();
    if (restMs <= 0) this.#connect();
    else this.#connectLater(restMs);
  }

  /** The rest is counted from here: those who come later may not wait long enough to see its end. */
  #failed(): void {
    this.#failures += 1;
    this.#restsUntil = performance.now() + reconnectDelayMs(this.#failures, Math.random());
  }

  #connectLater(delayMs: number): void {
    this.#reconnect = setTimeout(() => {
      this.#reconnect = undefined;
      if (this.#waiting.first() !== undefined) this.#connect();
    }, delayMs);
  }

  #connect(): void {
    const { open, connectTimeoutMs } = this.settings;
    this.#connections.push(new Http2Connection(open(), connectTimeoutMs, this));
    this.#watch ??= setInterval(() => this.#watchAll(), BEAT_MS).unref();
  }

  /** A connection could not be made; where there is no other, nobody waits for the next try. */
  #failWaiting(error: Error | undefined): void {
    if (this.#connections.some(({ isReady, isOpen }) => isReady && isOpen)) return;
    if (!this.#isOut && !this.#isClosing) {
      this.#logger.warn(`No connection: ${reasonOf(error)}`);
    }
    this.#isOut = true;
    for (const exchange of this.#waiting.dismiss()) exchange.giveUp('connection');
  }

  #watchAll(): void {
    // Those that turn out to be dead leave the list meanwhile.
    for (const connection of this.#connections.slice()) connection.watch();
  }

  #stopWatching(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
  }
}

/** A code such as ECONNREFUSED where there is one. */
const reasonOf = (error: Error | undefined): string =>
  error !== undefined && 'code' in error ? String(error.code) : (error?.message ?? 'it was closed');
