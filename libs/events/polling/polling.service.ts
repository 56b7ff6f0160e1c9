import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiError, type Caller, signInErrors } from '#platform/contracts';
import { RateLimits } from '#platform/rate-limits';
import { type BegunPoll, heartbeatId, queueErrors, QueuesService } from '#events/queues';
import { eventTexts } from './answer.rules.js';
import type { EventWindow } from './event-window.js';
import { type HeldPoll, HeldPolls, type PollEnd } from './held-polls.js';
import { PollMetrics } from './poll-metrics.js';
import { PollReplacements } from './poll-replacements.js';
import { ownerOf, QueueEvents } from './queue-events.js';
import type { WindowedEvent } from './windowed-event.js';

/** A held poll is answered with a heartbeat after 45 to 55 s, because clients wait for 90 s. */
const HEARTBEAT_MS = 45_000;
const HEARTBEAT_JITTER_MS = 10_000;

/** The parameters of a poll. */
export interface Poll {
  readonly queueId: string;
  /** The highest id that the client has processed; -1 for none. */
  readonly lastEventId: number;
  /** Whether it is answered at once, also without events. */
  readonly isImmediate: boolean;
}

/** Calls back when the connection of the client is closed. */
export type OnClosed = (listener: () => void) => void;

/** A poll without events so far. */
interface Held extends BegunPoll {
  readonly holder: string;
  readonly window: EventWindow;
  /** All events up to this position were considered. */
  readonly position: number;
}

/** Answers polls with the events of their queues, and holds polls without events. */
@Injectable()
export class PollingService {
  readonly #gateway = randomUUID();
  #count = 0;

  constructor(
    private readonly queues: QueuesService,
    private readonly found: QueueEvents,
    private readonly held: HeldPolls,
    private readonly replacements: PollReplacements,
    private readonly limits: RateLimits,
    private readonly metrics: PollMetrics,
  ) {}

  /**
   * Resolves with the JSON texts of the events after the last one: at least one, unless the poll is immediate or a newer
   * poll of the queue replaces it. Rejects with `badEventQueueId`, `eventAlreadyPruned` or `eventNotInQueue`; with
   * `rateLimited` beyond 600 polls of a queue in a minute; and with an error of the sign-in if it ends during the poll.
   */
  async poll(caller: Caller, poll: Poll, onClosed: OnClosed): Promise<string[]> {
    const holder = `${this.#gateway}.${(this.#count += 1)}`;
    const begun = await this.#begin(caller, poll, holder);
    const { queue, lastId } = begun;
    if (begun.replaced !== null) this.replacements.announce(queue.id, begun.replaced);
    try {
      const found = await this.found.after(caller, queue, {
        lastId,
        isImmediate: poll.isImmediate,
      });
      if (found.events.length > 0 || poll.isImmediate) return this.#answer(begun, found.events);
      return await this.#hold(caller, { ...begun, ...found, holder }, onClosed);
    } finally {
      this.queues.end(queue, holder);
    }
  }

  /** Deletes a queue and ends its poll. Rejects with `badEventQueueId` if the caller has no such queue. */
  async remove(caller: Caller, queueId: string): Promise<void> {
    await this.queues.remove(caller, queueId);
    this.replacements.announce(queueId, null);
  }

  async #begin(caller: Caller, { queueId, lastEventId }: Poll, holder: string) {
    try {
      const [begun] = await Promise.all([
        this.queues.begin(caller, queueId, { lastId: lastEventId, holder }, () =>
          this.found.checkId(caller.realm.id, lastEventId),
        ),
        this.limits.charge('event-queue', `${caller.userId}:${queueId}`),
      ]);
      return begun;
    } catch (error) {
      // Unknown queues must not be a way around the limit of the account.
      const isUnknown = error instanceof ApiError && error.error === queueErrors.badEventQueueId;
      if (isUnknown) await this.limits.charge('user', String(caller.userId));
      throw error;
    }
  }

  async #hold(caller: Caller, waiting: Held, onClosed: OnClosed): Promise<string[]> {
    const { queue, holder, window } = waiting;
    const owner = ownerOf(caller);
    // Nothing is awaited from here until the poll is held, so no event comes in between.
    const late = window
      .after(waiting.position)
      .filter((event) => event.isFor(owner, queue.options));
    const ended = this.held.endedDuringStart(queue, owner, holder);
    if (ended !== null) return this.#outcome(ended, waiting, late);
    if (late.length > 0) return this.#answer(waiting, late);
    return new Promise((resolve, reject) => {
      let isEnded = false;
      const end = (reason: PollEnd) => {
        if (isEnded) return;
        isEnded = true;
        clearTimeout(timer);
        this.held.remove(poll);
        try {
          resolve(this.#outcome(reason, waiting, poll.events));
        } catch (error) {
          reject(error);
        }
      };
      const poll: HeldPoll = { queue, owner, holder, events: [], position: window.head, end };
      const heartbeatMs = HEARTBEAT_MS + Math.random() * HEARTBEAT_JITTER_MS;
      const timer = setTimeout(end, heartbeatMs, 'heartbeat');
      this.held.add(poll);
      onClosed(() => end('closed'));
    });
  }

  /** The answer of a poll that waited. Throws ApiError if its sign-in has ended. */
  #outcome(reason: PollEnd, waiting: Held, events: readonly WindowedEvent[]): string[] {
    const failure = failures[reason];
    if (failure !== undefined) throw new ApiError(failure);
    if (reason !== 'events' && reason !== 'heartbeat') return this.#answer(waiting, []);
    const first = events[0];
    // The id of a heartbeat acknowledges all events so far, so it must not replace one.
    if (first === undefined) return this.#heartbeat(waiting);
    this.metrics.delivered((Date.now() - first.storedAt) / 1000);
    return this.#answer(waiting, events);
  }

  #answer({ queue, lastId }: BegunPoll, events: readonly WindowedEvent[]): string[] {
    const texts = eventTexts(queue, lastId, events);
    this.metrics.answered(texts.length > 0 ? 'events' : 'empty', texts.length);
    return texts;
  }

  /** Its id lets the client skip the events that were not for its queue. */
  #heartbeat({ lastId, window }: Held): string[] {
    this.metrics.answered('heartbeat', 0);
    return [`{"type":"heartbeat","id":${heartbeatId(lastId, window.head)}}`];
  }
}

/** The answer of the next request, for polls that end with their sign-in. */
const failures: Partial<Record<PollEnd, (typeof signInErrors)[keyof typeof signInErrors]>> = {
  key: signInErrors.invalidApiKey,
  deactivation: signInErrors.accountDeactivated,
};
