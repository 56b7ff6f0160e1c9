import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { ServerAddress } from '#platform/config';
import { PeriodicTask, withinDeadline } from '#platform/core';
import { currentTraceParent } from '#platform/telemetry';
import {
  connectionKey,
  type FrameKind,
  frameKinds,
  type OnlineQuery,
  onlineReading,
  type OnlineReading,
  type PresenceAnswer,
  type PresenceRequest,
  type PresenceService,
  type PresenceViewer,
  type UserPresenceQuery,
  userReading,
  type UserReading,
  type VisibilityChange,
} from '#presence/rpc';
import { emptyAnswer, pingAnswer } from '#presence/rules';
import { AddressDiscovery, resolveBySystem, type ResolveAddress } from './address-discovery.js';
import { CallCounters } from './client-metrics.js';
import {
  CallFailed,
  type ClientConnection,
  ConnectionLost,
  PresenceUnavailable,
} from './client-connection.js';
import { ConnectionPool } from './connection-pool.js';
import { BufferedRequests } from './buffered-requests.js';

/** The presence processes of a gateway, and the limits of its calls. */
export interface PresenceClientOptions {
  /** A name stands for all servers that it resolves to; it is looked up periodically. */
  readonly addresses: readonly ServerAddress[];
  /** After this time a request is answered without the presence program. */
  readonly deadlineMs: number;
  /** The secret of the presence processes. Without a secret on either side, peers are not verified. */
  readonly secret?: Buffer | null;
  /** The interval of DNS lookups. */
  readonly discoveryMs?: number;
  /** The resolver; by default the system's. */
  readonly resolve?: ResolveAddress;
}

const DISCOVERY_MS = 5000;

/** Limit of calls in flight: with more, the presence program cannot keep up. */
const MAX_CALLS = 10_000;

const DELIVER_EVERY_MS = 1000;
const DELIVER_AT_ONCE = 100;

interface InRealm {
  readonly realmId: number;
}

/** The body of a request. Presence processes of an older release ignore the trace. */
function bodyOf(request: InRealm): string {
  const traceParent = currentTraceParent();
  return JSON.stringify(traceParent === null ? request : { ...request, traceParent });
}

/**
 * The gateway's client of the presence program. Reports never fail: a report that no presence process takes in time is
 * buffered and sent later, and its answer does not move the cursor.
 */
export class PresenceClient implements PresenceService, OnApplicationShutdown {
  readonly counters = new CallCounters();
  readonly #pool: ConnectionPool;
  readonly #discovery: AddressDiscovery;
  readonly #buffered = new BufferedRequests();
  readonly #delivery = new PeriodicTask(DELIVER_EVERY_MS, () => this.#sendBuffered(), {
    failure: 'Buffered reports of presence were not sent',
  });
  readonly #logger = new Logger(PresenceClient.name);
  readonly #deadlineMs: number;
  #whenOpen: (() => void)[] = [];
  #unreachableSinceMs: number | null = performance.now();
  #onOnline: (realmId: number | null) => void = () => undefined;

  /** Starts to look up the addresses and to connect. Requests wait for a connection until their deadline. */
  constructor({ addresses, deadlineMs, secret = null, ...options }: PresenceClientOptions) {
    this.#deadlineMs = deadlineMs;
    this.#pool = new ConnectionPool({
      key: connectionKey(secret),
      counters: this.counters,
      silenceMs: deadlineMs,
      onOpen: () => this.#onOpen(),
      onOnline: (realmId) => this.#onOnline(realmId),
    });
    this.#discovery = new AddressDiscovery({
      addresses,
      everyMs: options.discoveryMs ?? DISCOVERY_MS,
      resolve: options.resolve ?? resolveBySystem,
      counters: this.counters,
      onChange: (servers) => this.#pool.use(servers),
    });
    this.#discovery.start();
    this.#delivery.start();
  }

  /** Whether a presence process is connected. */
  get isConnected(): boolean {
    return this.openConnections > 0;
  }

  /** The number of connected presence processes. */
  get openConnections(): number {
    return this.#pool.openCount;
  }

  /** The number of expected presence processes: the known ones, and one for each name that was never resolved. */
  get addresses(): number {
    return this.#pool.size + this.#discovery.unresolved;
  }

  /** The number of users with buffered requests. */
  get bufferedUsers(): number {
    return this.#buffered.size;
  }

  /** The number of requests dropped because the buffer was full. */
  get bufferDropped(): number {
    return this.#buffered.dropped;
  }

  /** See PresenceService. Never rejects. */
  async report(request: PresenceRequest): Promise<PresenceAnswer> {
    try {
      return await this.#call(frameKinds.report, request);
    } catch (error) {
      if (error instanceof CallFailed) this.#logger.error(`A report was refused: ${error.message}`);
      else if (request.isVisible) this.#buffered.addReport(request);
      const cursor = request.isRealmPresenceDisabled ? null : request.lastUpdateId;
      return request.pingOnly ? pingAnswer(cursor) : emptyAnswer(cursor, Date.now());
    }
  }

  /**
   * See PresenceService. Never rejects. Sends the change to all processes: while Redis is unavailable, each process must
   * hide the user, and the first one that reaches Redis again publishes the change.
   */
  async changeVisibility(change: VisibilityChange): Promise<void> {
    const sent = { ...change, sentAt: Date.now() / 1000 };
    await Promise.all([this.#publishVisibility(sent), this.#copyVisibility(sent)]);
  }

  async #publishVisibility(change: VisibilityChange): Promise<void> {
    try {
      await this.#call(frameKinds.visibility, change);
    } catch (error) {
      if (error instanceof CallFailed) this.#logger.error(`A change was refused: ${error.message}`);
      else this.#buffered.addVisibility(change);
    }
  }

  async #copyVisibility(change: VisibilityChange): Promise<void> {
    const copy: VisibilityChange = { ...change, isCopy: true };
    const body = bodyOf(copy);
    const others = this.#pool.othersThan(this.#pool.pick(change.realmId));
    await Promise.allSettled(
      others.map((one) => one.call(frameKinds.visibility, body, this.#deadlineMs)),
    );
  }

  /** See PresenceReader. */
  async readRealm(viewer: PresenceViewer): Promise<string> {
    return this.#read(frameKinds.readRealm, viewer);
  }

  /** See PresenceReader. */
  async readUser(query: UserPresenceQuery): Promise<UserReading> {
    return userReading.parse(JSON.parse(await this.#read(frameKinds.readUser, query)));
  }

  /** See PresenceService. */
  async readOnline(query: OnlineQuery): Promise<OnlineReading> {
    return onlineReading.parse(JSON.parse(await this.#read(frameKinds.readOnline, query)));
  }

  /** The text of an answer to a request that reports nothing. Rejects when it is not available in time. */
  async readAnswer(request: Omit<PresenceRequest, 'isVisible' | 'encoding'>): Promise<string> {
    return this.#read(frameKinds.report, { ...request, isVisible: false, encoding: null });
  }

  /** Sets the only listener for users of a realm who come online; null after a time without a connection: any realm. */
  onOnline(listener: (realmId: number | null) => void): void {
    this.#onOnline = listener;
  }

  /** Closes the client after the last HTTP request has been answered. */
  onApplicationShutdown(): Promise<void> {
    return this.close();
  }

  /**
   * Sends the buffered requests within the deadline, and closes the connections. Calls in flight then get the answer of an
   * outage.
   */
  async close(): Promise<void> {
    const sent = this.#delivery.stop().then(() => this.#sendBuffered());
    await withinDeadline(this.#deadlineMs, sent, () => undefined);
    this.#discovery.stop();
    this.#pool.close();
    await sent;
  }

  async #read<Query extends PresenceViewer>(kind: FrameKind, query: Query): Promise<string> {
    const answer = await this.#call(kind, query);
    if (typeof answer !== 'string') throw new CallFailed('Expected an uncompressed answer');
    return answer;
  }

  async #call(kind: FrameKind, request: InRealm): Promise<PresenceAnswer> {
    const { results, answeredSeconds } = this.counters;
    const beganAtMs = performance.now();
    try {
      const answer = await this.#callUntil(beganAtMs + this.#deadlineMs, kind, request);
      results.answered += 1;
      answeredSeconds.observe((performance.now() - beganAtMs) / 1000);
      return answer;
    } catch (error) {
      results[error instanceof CallFailed ? 'refused' : 'unanswered'] += 1;
      throw error;
    }
  }

  /** Calls one process after another until one answers or the deadline has passed. */
  async #callUntil(
    deadlineAtMs: number,
    kind: FrameKind,
    request: InRealm,
  ): Promise<PresenceAnswer> {
    const { realmId } = request;
    const body = bodyOf(request);
    for (;;) {
      const connection = this.#pick(realmId) ?? (await this.#nextOpen(realmId, deadlineAtMs));
      try {
        return await connection.call(kind, body, Math.max(1, deadlineAtMs - performance.now()));
      } catch (error) {
        // A repeated call is harmless, because reports merge.
        if (!(error instanceof ConnectionLost)) throw error;
        this.counters.retried += 1;
      }
    }
  }

  /** An organisation stays with one process, whose replica is then never behind a cursor of its users. */
  #pick(realmId: number): ClientConnection | undefined {
    if (this.#pool.calls >= MAX_CALLS) {
      throw new PresenceUnavailable('Too many calls are in flight');
    }
    return this.#pool.pick(realmId);
  }

  /** Waits for an open connection, unless all have been closed for as long as a deadline. */
  async #nextOpen(realmId: number, deadlineAtMs: number): Promise<ClientConnection> {
    this.#unreachableSinceMs ??= performance.now();
    const waitUntilMs = Math.min(deadlineAtMs, this.#unreachableSinceMs + this.#deadlineMs);
    const waitMs = waitUntilMs - performance.now();
    if (waitMs > 0) await this.#waitForOpen(waitMs);
    const connection = this.#pick(realmId);
    if (!connection) throw new PresenceUnavailable('No presence process can be reached');
    return connection;
  }

  async #waitForOpen(waitMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.#whenOpen.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #onOpen(): void {
    this.#unreachableSinceMs = null;
    for (const resume of this.#whenOpen.splice(0)) resume();
    this.#onOnline(null);
  }

  /** Sends buffered requests to a presence process. Failed ones are buffered again. */
  async #sendBuffered(): Promise<void> {
    for (let left = this.#buffered.size; left > 0 && this.isConnected; left -= DELIVER_AT_ONCE) {
      const taken = this.#buffered.take(Math.min(left, DELIVER_AT_ONCE));
      await Promise.all(
        taken.map(async ({ visibility, idle, active }) => {
          if (visibility) await this.changeVisibility(visibility);
          for (const request of [idle, active]) {
            if (!request) continue;
            await this.report({ ...request, pingOnly: true, sentAt: Date.now() / 1000 });
          }
        }),
      );
    }
  }
}
