import { Logger } from '@nestjs/common';
import type {
  PresenceAnswer,
  PresenceRequest,
  PresenceService,
  PresenceViewer,
  UserPresenceQuestion,
  UserReading,
  VisibilityChange,
} from '#contracts';
import { withinDeadline } from '#core';
import { emptyAnswer, pingAnswer } from '../answer/compose-answer.js';
import { PeriodicTask } from '../schedule/periodic-task.js';
import { CallCounters } from './call-counters.js';
import { CallFailed, ClientConnection, ConnectionLost } from './client-connection.js';
import { type FrameKind, frameKinds } from './frame.js';
import { connectionKey } from './handshake.js';
import { HeldRequests } from './held-requests.js';
import { userReading } from './messages.js';

export interface PresenceClientOptions {
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  /** After this a request is answered without the presence program. */
  readonly deadlineMs: number;
  /** That of the presence processes. Without one on either side, whoever listens at the addresses is asked. */
  readonly secret?: Buffer | null;
}

/** More calls than this under way mean that the presence program cannot keep up. */
const MOST_CALLS = 10_000;

const DELIVER_EVERY_MS = 1000;
const DELIVER_AT_ONCE = 100;

/**
 * The presence program as seen from the gateway. Reports never fail: what cannot be told to any
 * presence process in time is held and told later, and the answer then moves no cursor.
 */
export class PresenceClient implements PresenceService {
  readonly counters = new CallCounters();
  readonly #connections: readonly ClientConnection[];
  readonly #held = new HeldRequests();
  readonly #delivery = new PeriodicTask(DELIVER_EVERY_MS, () => this.#deliver());
  readonly #logger = new Logger(PresenceClient.name);
  readonly #deadlineMs: number;
  #whenOpen: (() => void)[] = [];
  #unreachableSinceMs: number | null = performance.now();

  /** Begins to connect; requests wait for that as long as their deadline allows. */
  constructor({ addresses, deadlineMs, secret = null }: PresenceClientOptions) {
    this.#deadlineMs = deadlineMs;
    const shared = {
      key: connectionKey(secret),
      counters: this.counters,
      onOpen: () => this.#opened(),
    };
    this.#connections = addresses.map((address) => new ClientConnection({ address, ...shared }));
    this.#delivery.start();
  }

  /** Whether some presence process can be asked now. */
  get isConnected(): boolean {
    return this.openConnections > 0;
  }

  /** How many presence processes can be asked now. */
  get openConnections(): number {
    return this.#connections.filter((connection) => connection.isOpen).length;
  }

  /** How many presence processes there are to be. */
  get addresses(): number {
    return this.#connections.length;
  }

  /** Users with something that no presence process has been told yet. */
  get heldUsers(): number {
    return this.#held.size;
  }

  /** Requests given up because too many users were held already. */
  get heldDropped(): number {
    return this.#held.dropped;
  }

  /** See PresenceService. Never rejects. */
  async report(request: PresenceRequest): Promise<PresenceAnswer> {
    try {
      return await this.#call(frameKinds.report, request.userId, JSON.stringify(request));
    } catch (error) {
      if (error instanceof CallFailed) this.#logger.error(`A report was refused: ${error.message}`);
      else if (request.isVisible) this.#held.holdReport(request);
      const cursor = request.isRealmPresenceDisabled ? null : request.lastUpdateId;
      return request.pingOnly ? pingAnswer(cursor) : emptyAnswer(cursor, Date.now());
    }
  }

  /**
   * See PresenceService. Never rejects. All processes are told: while Redis is away each has to know by itself who
   * has gone invisible, and whoever of them is there when it is back publishes it.
   */
  async changeVisibility(change: VisibilityChange): Promise<void> {
    await Promise.all([this.#publishVisibility(change), this.#copyVisibility(change)]);
  }

  async #publishVisibility(change: VisibilityChange): Promise<void> {
    try {
      await this.#call(frameKinds.visibility, change.userId, JSON.stringify(change));
    } catch (error) {
      if (error instanceof CallFailed) this.#logger.error(`A change was refused: ${error.message}`);
      else this.#held.holdVisibility(change);
    }
  }

  async #copyVisibility(change: VisibilityChange): Promise<void> {
    const body = JSON.stringify({ ...change, isCopy: true });
    const publisher = this.#firstOpen(change.userId);
    const others = this.#connections
      .filter(({ isOpen }) => isOpen)
      .filter((one) => one !== publisher);
    await Promise.allSettled(
      others.map((one) => one.call(frameKinds.visibility, body, this.#deadlineMs)),
    );
  }

  /** See PresenceReading. */
  async readRealm(viewer: PresenceViewer): Promise<string> {
    return this.#read(frameKinds.readRealm, viewer);
  }

  /** See PresenceReading. */
  async readUser(question: UserPresenceQuestion): Promise<UserReading> {
    return userReading.parse(JSON.parse(await this.#read(frameKinds.readUser, question)));
  }

  /**
   * Tells what is held, as far as it goes within a deadline, and ends the connections; calls under way are then
   * answered as though the presence program were away.
   */
  async close(): Promise<void> {
    const told = this.#delivery.stop().then(() => this.#deliver());
    await withinDeadline(this.#deadlineMs, told, () => undefined);
    for (const connection of this.#connections) connection.close();
    await told;
  }

  async #read(kind: FrameKind, question: PresenceViewer): Promise<string> {
    const answer = await this.#call(kind, question.userId, JSON.stringify(question));
    if (typeof answer !== 'string') throw new CallFailed('A text was asked for');
    return answer;
  }

  async #call(kind: FrameKind, userId: number, body: string): Promise<PresenceAnswer> {
    const { results, answeredSeconds } = this.counters;
    const beganAtMs = performance.now();
    try {
      const answer = await this.#callUntil(beganAtMs + this.#deadlineMs, kind, userId, body);
      results.answered += 1;
      answeredSeconds.observe((performance.now() - beganAtMs) / 1000);
      return answer;
    } catch (error) {
      results[error instanceof CallFailed ? 'refused' : 'unanswered'] += 1;
      throw error;
    }
  }

  /** Asks one process after another until one answers or the deadline has passed. */
  async #callUntil(
    deadlineAtMs: number,
    kind: FrameKind,
    userId: number,
    body: string,
  ): Promise<PresenceAnswer> {
    for (;;) {
      const connection = this.#pick(userId) ?? (await this.#nextOpen(userId, deadlineAtMs));
      try {
        return await connection.call(kind, body, Math.max(1, deadlineAtMs - performance.now()));
      } catch (error) {
        // Asking twice does no harm: reports merge.
        if (!(error instanceof ConnectionLost)) throw error;
        this.counters.retried += 1;
      }
    }
  }

  /** A user stays with one process while it lasts: its mirror is never behind that user's cursor. */
  #pick(userId: number): ClientConnection | undefined {
    const calls = this.#connections.reduce((sum, connection) => sum + connection.size, 0);
    if (calls >= MOST_CALLS) throw new Error('Too many calls are under way');
    return this.#firstOpen(userId);
  }

  #firstOpen(userId: number): ClientConnection | undefined {
    const count = this.#connections.length;
    for (let step = 0; step < count; step += 1) {
      const connection = this.#connections[(userId + step) % count];
      if (connection?.isOpen === true) return connection;
    }
    return undefined;
  }

  /** Waits for a connection, but not once they have all been away for as long as a deadline. */
  async #nextOpen(userId: number, deadlineAtMs: number): Promise<ClientConnection> {
    this.#unreachableSinceMs ??= performance.now();
    const waitUntilMs = Math.min(deadlineAtMs, this.#unreachableSinceMs + this.#deadlineMs);
    const waitMs = waitUntilMs - performance.now();
    if (waitMs > 0) await this.#openedWithin(waitMs);
    const connection = this.#pick(userId);
    if (!connection) throw new Error('No presence process can be reached');
    return connection;
  }

  async #openedWithin(waitMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.#whenOpen.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #opened(): void {
    this.#unreachableSinceMs = null;
    for (const resume of this.#whenOpen.splice(0)) resume();
  }

  /** Tells a presence process what was held; what cannot be told is held again, for the next time. */
  async #deliver(): Promise<void> {
    for (let left = this.#held.size; left > 0 && this.isConnected; left -= DELIVER_AT_ONCE) {
      const taken = this.#held.take(Math.min(left, DELIVER_AT_ONCE));
      await Promise.all(
        taken.map(async ({ visibility, idle, active }) => {
          if (visibility) await this.changeVisibility(visibility);
          for (const request of [idle, active]) {
            if (request) await this.report({ ...request, pingOnly: true });
          }
        }),
      );
    }
  }
}
