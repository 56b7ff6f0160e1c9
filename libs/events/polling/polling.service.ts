import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiError, type Caller, type PresumedCaller, signInErrors } from '#platform/contracts';
import { linkOfCurrentSpan, type LinkSpan } from '#platform/telemetry';
import type { TransientChanges } from '#events/declarations';
import { type BegunPoll, heartbeatId, positionOf, transientIds } from '#events/queues';
import { AnnouncedEvents } from './announced-events.js';
import { eventTexts } from './answer.rules.js';
import { endNothing, type HeldPoll, type PollEnd } from './held-poll.js';
import { HeldPolls } from './held-polls.js';
import { PollMetrics } from './poll-metrics.js';
import { type FoundEvents, ownerOf, QueueEvents } from './queue-events.js';
import { QueuePolls } from './queue-polls.js';
import { TransientAnswers, type TransientPoll } from './transient-answers.js';
import type { QueueOwner, WindowedEvent } from './windowed-event.js';

/** Enough for gateways to have different names. */
const GATEWAY_BYTES = 9;

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

/** A poll that may get an answer. */
export interface BegunAnswer extends TransientPoll {
  readonly isImmediate: boolean;
  /** Links the span of the request to those of the changes in its answer; null without tracing. */
  readonly link: LinkSpan | null;
  readonly owner: QueueOwner;
}

/** The events of an answer. */
interface Found {
  readonly events: readonly WindowedEvent[];
  /** All events of the queue up to this position are in `events`. */
  readonly position: number;
  /** Transient events, if they were read before. */
  readonly changes?: TransientChanges | undefined;
}

/** Answers polls with the events of their queues, and holds polls without events. */
@Injectable()
export class PollingService {
  readonly #gateway = randomBytes(GATEWAY_BYTES).toString('base64url');
  #count = 0;

  constructor(
    private readonly polls: QueuePolls,
    private readonly found: QueueEvents,
    private readonly held: HeldPolls,
    private readonly transients: TransientAnswers,
    private readonly announced: AnnouncedEvents,
    private readonly metrics: PollMetrics,
  ) {}

  /**
   * Resolves with the JSON texts of the events after the last one: at least one, unless the poll is immediate or a newer
   * poll of the queue replaces it. Rejects with `badEventQueueId`, `eventAlreadyPruned` or `eventNotInQueue`; with
   * `rateLimited` beyond 600 polls of a queue in a minute; and with an error of the sign-in if it ends during the poll.
   */
  async poll(caller: Caller, poll: Poll, onClosed: OnClosed): Promise<string[]> {
    const holder = this.#newHolder();
    const begun = await this.polls.begin(caller, poll, holder);
    return this.answer(begunAnswer(begun, caller, holder, poll), onClosed);
  }

  /**
   * Begins a poll whose queue and last id this gateway knows, if the sign-in has its proof. Resolves with null in all other
   * cases: `poll` must answer.
   */
  async beginKnown(presumed: PresumedCaller, poll: Poll): Promise<BegunAnswer | null> {
    const holder = this.#newHolder();
    const begun = await this.polls.beginKnown(presumed, poll, holder);
    return begun === null ? null : begunAnswer(begun, presumed.caller, holder, poll);
  }

  /** Resolves and rejects like `poll`, once the poll has begun. */
  async answer(begun: BegunAnswer, onClosed: OnClosed): Promise<string[]> {
    const { caller, queue, holder, lastId, isImmediate } = begun;
    try {
      const found = await this.found.after(caller, queue, { lastId, isImmediate });
      const { events } = found;
      if (events.length > 0 || isImmediate) {
        return await this.#answer(begun, { events, position: events.at(-1)?.position ?? 0 });
      }
      return await this.#hold(begun, found, onClosed);
    } finally {
      this.polls.end(queue, holder);
    }
  }

  #newHolder(): string {
    return `${this.#gateway}.${(this.#count += 1)}`;
  }

  /** Deletes a queue and ends its poll. Rejects with `badEventQueueId` if the caller has no such queue. */
  remove(caller: Caller, queueId: string): Promise<void> {
    return this.polls.remove(caller, queueId);
  }

  /** Answers a poll without events up to a position. */
  #hold(
    begun: BegunAnswer,
    { window, position }: FoundEvents,
    onClosed: OnClosed,
  ): Promise<string[]> {
    const { queue, holder, owner } = begun;
    // Nothing is awaited from here until the poll is held, so no event comes in between.
    const late = window.after(position).filter((event) => event.isFor(owner, queue.options));
    const found = { events: late, position: window.head };
    const ended = this.held.endedDuringStart(queue, owner, holder);
    if (ended !== null) return this.#outcome(ended, begun, found);
    if (late.length > 0) return this.#answer(begun, found);
    if (this.announced.areDue(begun)) return this.#outcome('events', begun, found);
    return new Promise((resolve) => {
      const events: WindowedEvent[] = [];
      const poll: HeldPoll = {
        queue,
        owner,
        holder,
        events,
        position: window.head,
        end: (reason, changes) => {
          poll.end = endNothing;
          stopListening();
          this.held.remove(poll);
          resolve(this.#outcome(reason, begun, { events, position: window.head, changes }));
        },
      };
      this.held.add(poll);
      const stopListening = this.transients.listen(begun, (changes) => poll.end('events', changes));
      onClosed(() => poll.end('closed'));
    });
  }

  /** The answer of a poll that waited. Rejects with ApiError if its sign-in has ended. */
  async #outcome(reason: PollEnd, begun: BegunAnswer, found: Found): Promise<string[]> {
    const failure = failures[reason];
    if (failure !== undefined) throw new ApiError(failure);
    const first = found.events[0];
    if (reason !== 'events' && reason !== 'heartbeat') {
      this.metrics.answered('empty', 0);
      return [];
    }
    if (first !== undefined) {
      this.metrics.delivered((Date.now() - first.storedAt) / 1000);
      return this.#answer(begun, found);
    }
    const texts = await this.#textsOf(begun, found);
    if (texts.length > 0) return this.#counted(texts);
    this.metrics.answered('heartbeat', 0);
    // The id lets the client skip the events that were not for its queue. It acknowledges all events so far.
    return [`{"type":"heartbeat","id":${heartbeatId(begun.lastId, found.position)}}`];
  }

  async #answer(poll: BegunAnswer, found: Found): Promise<string[]> {
    poll.link?.(tracesOf(found.events));
    return this.#counted(await this.#textsOf(poll, found));
  }

  #counted(texts: string[]): string[] {
    this.metrics.answered(texts.length > 0 ? 'events' : 'empty', texts.length);
    return texts;
  }

  /**
   * The texts of stored events, and then those of transient events, whose ids are above all stored events up to the
   * position. A full answer has no transient events: their ids would acknowledge the stored events that it lacks.
   */
  async #textsOf(poll: BegunAnswer, { events, position, changes }: Found): Promise<string[]> {
    const { texts, isFull } = eventTexts(poll.queue, poll.lastId, events);
    if (isFull) return texts;
    const known = Math.max(position, positionOf(poll.lastId));
    const transient = await this.transients.textsFor(poll, known, changes);
    const announced = this.announced.take(poll);
    const firstId = transientIds(poll.lastId, known, transient.length + announced.length);
    if (firstId === null) return [...texts, ...transient];
    const nextId = firstId + transient.length;
    const closed = announced.map((open, index) => `${open},"id":${nextId + index}}`);
    return [...texts, ...transient, ...closed];
  }
}

const begunAnswer = (
  { queue, lastId, replaced, cursor, isRecorded }: BegunPoll,
  caller: Caller,
  holder: string,
  { isImmediate }: Poll,
): BegunAnswer => ({
  queue,
  lastId,
  replaced,
  cursor,
  isRecorded,
  caller,
  holder,
  isImmediate,
  link: linkOfCurrentSpan(),
  owner: ownerOf(caller),
});

/** The trace contexts of the changes of events. */
const tracesOf = (events: readonly WindowedEvent[]): ReadonlySet<string> =>
  new Set(events.flatMap(({ event: { traceParent } }) => traceParent ?? []));

/** The answer of the next request, for polls that end with their sign-in. */
const failures: Partial<Record<PollEnd, (typeof signInErrors)[keyof typeof signInErrors]>> = {
  key: signInErrors.invalidApiKey,
  deactivation: signInErrors.accountDeactivated,
};
