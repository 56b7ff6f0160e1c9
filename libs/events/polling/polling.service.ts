import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#platform/contracts';
import { mapMaybe, type MaybePromise } from '#platform/core';
import { BYTES_OF_CALL } from '#platform/http';
import { linkOfCurrentSpan } from '#platform/telemetry';
import type { TransientChanges } from '#events/declarations';
import {
  type Answered,
  type BegunPoll,
  heartbeatId,
  positionOf,
  transientIds,
} from '#events/queues';
import { eventTexts, idOf } from './answer.rules.js';
import {
  HeldPoll,
  type OnHeldPollEnded,
  type PendingPoll,
  type PollClient,
  type PollEndReason,
} from './held-poll.js';
import { HeldPolls } from './held-polls.js';
import { PollMetrics } from './poll-metrics.js';
import { endedSignIn, type EventBatch, QueueEvents } from './queue-events.js';
import { type Poll, QueuePolls } from './queue-polls.js';
import { RecentEphemeralEvents } from './recent-ephemeral-events.js';
import { type AnswerTexts, TransientAnswers } from './transient-answers.js';
import type { WindowedEvent } from './windowed-event.js';

/** The events of an answer. */
interface AnswerEvents {
  readonly events: readonly WindowedEvent[];
  /** All events of the queue up to this position are in `events`. */
  readonly position: number;
  /** Transient events, if they were read before. */
  readonly changes?: TransientChanges | undefined;
  readonly wasHeld?: boolean;
  /** Whether later events of the queue are missing. */
  readonly isPartial?: boolean;
}

/** Answers polls with the events of their queues, and holds polls without events. */
@Injectable()
export class PollingService {
  constructor(
    private readonly polls: QueuePolls,
    private readonly queueEvents: QueueEvents,
    private readonly held: HeldPolls,
    private readonly transients: TransientAnswers,
    private readonly ephemeral: RecentEphemeralEvents,
    private readonly metrics: PollMetrics,
  ) {}

  /**
   * Resolves with the JSON texts of the events after the last one: at least one, unless the poll is immediate or a newer
   * poll of the queue replaces it. Rejects with `badEventQueueId`, `eventAlreadyPruned` or `eventNotInQueue`; with
   * `rateLimited` beyond 600 polls of a queue in a minute; and with an error of the sign-in if it ends during the poll.
   */
  async poll(caller: Caller, poll: Poll, onClosed: PollClient['onClosed']): Promise<string[]> {
    const begun = this.#pending(await this.polls.begin(caller, poll), caller, poll);
    return new Promise((send) => this.answer(begun, { send, onClosed }));
  }

  /** Begins a poll whose queue and last id this gateway knows. Null in all other cases: `poll` must answer. */
  beginKnown(caller: Caller, poll: Poll): MaybePromise<PendingPoll | null> {
    const begun = this.polls.beginKnown(caller, poll);
    return mapMaybe(begun, (known) => this.#pending(known, caller, poll));
  }

  #pending(begun: BegunPoll, caller: Caller, { isImmediate }: Poll): PendingPoll {
    const owner = this.polls.ownerOf(caller);
    // Node 20 gives each object whose literal begins with a spread a hidden class of its own, which slows all its uses.
    return { caller, isImmediate, link: linkOfCurrentSpan(), owner, ...begun };
  }

  /** Sends what `poll` resolves or rejects with, once the poll has begun. */
  answer(begun: PendingPoll, client: PollClient): void {
    this.#answer(begun, client).catch((error: unknown) => client.send(this.#failed(begun, error)));
  }

  /** Awaits nothing for events that are all in the window. */
  async #answer(begun: PendingPoll, client: PollClient): Promise<void> {
    const known = begun.isImmediate ? null : this.queueEvents.inWindow(begun);
    this.#answerOrHold(begun, known ?? (await this.queueEvents.after(begun)), client);
  }

  async #failed(begun: PendingPoll, error: unknown): Promise<never> {
    this.polls.recordEnd(begun, begun);
    throw error;
  }

  #answerOrHold(begun: PendingPoll, found: EventBatch, client: PollClient): void {
    const isFinal = found.events.length > 0 || begun.isImmediate;
    if (isFinal) client.send(this.#outcome('events', begun, stored(found)));
    else this.#hold(begun, found, client);
  }

  /** Answers a poll without events up to a position. */
  #hold(begun: PendingPoll, { window, position }: EventBatch, client: PollClient): void {
    const { queue, pollId, owner } = begun;
    // Nothing is awaited from here until the poll is held, so no event comes in between.
    const newer = window.after(position).filter((event) => event.isFor(owner, queue.options));
    const ended = this.held.endedDuringStart(queue, owner, pollId);
    if (ended !== null || newer.length > 0 || !this.ephemeral.startWaiting(begun)) {
      const found = { events: newer, position: window.headPosition };
      return client.send(this.#outcome(ended ?? 'events', begun, found));
    }
    const poll = new HeldPoll(begun, window, client, this.#end);
    this.held.add(poll);
    this.transients.listen(poll);
    client.onClosed(() => poll.end('closed'));
  }

  readonly #end: OnHeldPollEnded = (poll, client, reason, changes) => {
    const { begun, window, events } = poll;
    this.transients.stop(poll);
    this.held.remove(poll);
    const found = { events, position: window.headPosition, changes, wasHeld: true };
    client.send(this.#outcome(reason, begun, found));
  };

  /** The answer of a poll, and its end. Rejects with ApiError if its sign-in has ended. */
  async #outcome(
    reason: PollEndReason,
    begun: PendingPoll,
    found: AnswerEvents,
  ): Promise<string[]> {
    let answered: Answered = begun;
    try {
      if (reason === 'key' || reason === 'deactivation') throw new ApiError(endedSignIn[reason]);
      if (reason !== 'events' && reason !== 'heartbeat') {
        this.metrics.answered('empty', 0);
        return [];
      }
      const first = found.events[0];
      if (first !== undefined) {
        if (found.wasHeld === true) this.metrics.recordLag((Date.now() - first.storedAt) / 1000);
        begun.link?.(tracesOf(found.events));
      }
      const { texts, cursor } = await this.#textsOf(begun, found);
      if (texts.length > 0) this.metrics.answered('events', texts.length);
      else if (first !== undefined || begun.isImmediate) this.metrics.answered('empty', 0);
      else {
        this.metrics.answered('heartbeat', 0);
        // The id lets the client skip the events that were not for its queue. It acknowledges all events so far.
        texts.push(`{"type":"heartbeat","id":${heartbeatId(begun.lastId, found.position)}}`);
      }
      const last = texts.at(-1);
      if (last !== undefined) answered = { lastId: idOf(last), cursor };
      return texts;
    } finally {
      this.polls.recordEnd(begun, answered);
    }
  }

  /**
   * The texts of stored events, and then those of transient events, whose ids are above all stored events up to the
   * position. A full or partial answer has no transient events: their ids would acknowledge the stored events that it lacks.
   */
  async #textsOf(
    poll: PendingPoll,
    { events, position, changes, isPartial }: AnswerEvents,
  ): Promise<AnswerTexts> {
    const { texts, isFull, bytes } = eventTexts(poll.queue, poll.lastId, events);
    if (bytes >= BYTES_OF_CALL) await this.polls.chargeSize(poll, bytes);
    if (isFull || isPartial === true) return { texts, cursor: poll.cursor };
    const known = Math.max(position, positionOf(poll.lastId));
    const { texts: transient, cursor } = this.transients.mayBeFor(poll)
      ? await this.transients.textsFor(poll, known, changes)
      : { texts: [], cursor: poll.cursor };
    const ephemeral = this.ephemeral.take(poll);
    if (transient.length + ephemeral.length === 0) return { texts, cursor };
    const firstId = transientIds(poll.lastId, known, transient.length + ephemeral.length);
    if (firstId === null) return { texts: [...texts, ...transient], cursor };
    const nextId = firstId + transient.length;
    const closed = ephemeral.map((open, index) => `${open},"id":${nextId + index}}`);
    return { texts: [...texts, ...transient, ...closed], cursor };
  }
}

/** Stored events without those that may have come since they were found. */
const stored = ({ events, isPartial }: EventBatch): AnswerEvents => ({
  events,
  position: events.at(-1)?.position ?? 0,
  isPartial,
});

/** The trace contexts of the changes of events. */
const tracesOf = (events: readonly WindowedEvent[]): ReadonlySet<string> =>
  new Set(events.flatMap(({ event: { traceParent } }) => traceParent ?? []));
