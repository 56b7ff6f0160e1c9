import { Inject, Injectable } from '@nestjs/common';
import { ApiError, requestErrors, signInErrors } from '#platform/contracts';
import { OwnerSlots } from '#platform/core';
import { Database } from '#platform/database';
import { RateLimits } from '#platform/rate-limits';
import { EventRepository, type LogReader, SIGNED_OUT } from '#events/log';
import {
  badQueue,
  type EventQueue,
  positionOf,
  queueErrors,
  type QueueProgress,
  QueuesService,
} from '#events/queues';
import { isUndelivered, MAX_BYTES } from './answer.rules.js';
import { EventFollower } from './event-follower.js';
import type { EventWindow } from './event-window.js';
import { PollMetrics } from './poll-metrics.js';
import type { QueueOwner, WindowedEvent } from './windowed-event.js';

/** A page of the log for a queue behind the window. */
const PAGE = 500;
/** The positions that one statement looks through. */
const MAX_POSITIONS = 10_000;
/** A queue with more undelivered events is given up. */
const MAX_UNDELIVERED = 50_000;
/** The same for events of the organisation: counting those for the account takes time for each of them. */
const MAX_BEHIND = 500_000;
/** An answer has no more. */
const ENOUGH = 1001;
/** The part of the connections to PostgreSQL that polls behind the window may hold at once. */
const SHARE_OF_POOL = 0.5;
/** The polls of an account that wait for others of it: those of all its queues, and of clients that repeat them. */
const MAX_WAITING = 200;

/** The events for a queue after its last one. */
export interface EventBatch {
  readonly events: WindowedEvent[];
  readonly window: EventWindow;
  /** All events up to this position were considered. */
  readonly position: number;
  /** Whether the search ended early because the answer has enough: later events are missing. */
  readonly isPartial: boolean;
}

/** A part of the log. */
interface EventPage {
  readonly events: readonly WindowedEvent[];
  /** All events up to this position were considered. */
  readonly position: number;
  /** Whether a limit ended it. */
  readonly isCut: boolean;
}

/** A queue that reads its events. */
interface DueReader {
  readonly queue: EventQueue;
  readonly progress: QueueProgress;
  /** The last event id that the client has. */
  readonly lastId: number;
  readonly owner: QueueOwner;
}

/** Finds the undelivered events of queues: in the window of the gateway, and before it in PostgreSQL. */
@Injectable()
export class QueueEvents {
  /** A poll far behind the window reads for seconds, and an account may have a hundred queues: one at a time. */
  readonly #slots: OwnerSlots;

  constructor(
    private readonly follower: EventFollower,
    private readonly log: EventRepository,
    private readonly queues: QueuesService,
    private readonly metrics: PollMetrics,
    private readonly limits: RateLimits,
    @Inject(Database) { poolSize }: Pick<Database, 'poolSize'>,
  ) {
    this.#slots = new OwnerSlots({
      all: Math.max(1, Math.floor(poolSize * SHARE_OF_POOL)),
      ofOwner: 1,
      waiting: MAX_WAITING,
      refusal: () => new ApiError(requestErrors.rateLimited, {}, { 'retry-after': 1 }),
    });
  }

  /** Whether the id is not after the newest event of the organisation that this gateway has read. */
  isKnownId(realmId: number, lastId: number): boolean {
    const window = this.follower.knownWindowOf(realmId);
    return window !== null && positionOf(lastId) <= window.headPosition;
  }

  /** Rejects with `eventNotInQueue` for an id after the newest event of the organisation. */
  async checkId(realmId: number, lastId: number): Promise<void> {
    const window = await this.follower.windowOf(realmId);
    // Another gateway may have delivered an event that this one has not read yet.
    if (positionOf(lastId) > window.headPosition) await this.follower.refresh(realmId);
    if (positionOf(lastId) > window.headPosition) {
      throw new ApiError(queueErrors.eventNotInQueue, { id: lastId });
    }
  }

  /** The events for a queue if they are all in the window, as for most polls; null if `after` must look. */
  inWindow({ queue, lastId, owner }: DueReader): EventBatch | null {
    const window = this.follower.knownWindowOf(queue.realmId);
    const position = firstPosition(queue, lastId);
    if (window === null || position < window.base) return null;
    const found = new DueEvents({ queue, lastId, owner });
    for (const event of window.after(position)) found.add(event);
    const { events, isEnough } = found;
    return { events, window, position: window.headPosition, isPartial: isEnough };
  }

  /**
   * The events for a queue from the position of `lastId` on. Rejects with `badEventQueueId` for a queue with too many or too
   * old undelivered events, which it deletes, and for one that an event ends; with `rateLimited`, because a look into PostgreSQL
   * is charged to all queues of the account; and with an error of the sign-in that one of the events ends.
   */
  async after(reader: DueReader & { readonly isImmediate: boolean }): Promise<EventBatch> {
    const { queue, owner, isImmediate } = reader;
    const window = await this.follower.windowOf(queue.realmId);
    const position = searchedPosition(reader);
    // A poll that waits learns of newer events soon; one that does not wait must find all that are committed.
    if (isImmediate) await this.follower.refresh(queue.realmId);
    if (position >= window.base) return batchOf(reader, window, new DueEvents(reader), position);
    this.metrics.readFromLog();
    // A poll that does not wait was charged to all queues of the account when it began.
    if (!isImmediate) await this.limits.charge('event-queue', limitOfAccount(owner.userId));
    return this.#slots.run(String(owner.userId), () => this.#readLog(reader, window, position));
  }

  async #readLog(reader: DueReader, window: EventWindow, position: number): Promise<EventBatch> {
    const { queue, lastId } = reader;
    const oldest = Math.max(position, positionOf(lastId)) + 1;
    if (await this.#isTooFarBehind(queue, { position, oldest, window })) {
      await this.queues.remove(queue, queue.id);
      this.metrics.overflowed();
      throw badQueue(queue.id);
    }
    const found = new DueEvents(reader);
    let considered = position;
    let limit = PAGE;
    while (considered < window.base) {
      const page = await this.#readPage(queue, window, { after: considered, limit });
      considered = page.position;
      // PostgreSQL reads all bodies up to the limit, also those that do not fit.
      limit = Math.min(PAGE, page.isCut ? 2 * page.events.length : PAGE);
      for (const event of page.events) found.add(event);
      // An account may have a poll for each of many queues at once: none may keep more than its answer needs.
      if (found.isEnough)
        return { events: found.events, window, position: considered, isPartial: true };
    }
    return batchOf(reader, window, found, considered);
  }

  /** The events of the log after a position that may concern a queue, up to a later position. */
  async #readPage(
    queue: EventQueue,
    window: EventWindow,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<EventPage> {
    const upTo = Math.min(after + MAX_POSITIONS, window.headPosition);
    const page = await this.log.afterForUser(queue.realmId, readerOf(queue), {
      after,
      upTo,
      types: typesOf(queue),
      limit,
      maxBytes: MAX_BYTES,
    });
    const size = page.reduce((sum, { bytes }) => sum + bytes, 0);
    const isCut = page.length === limit || size >= MAX_BYTES;
    const position = isCut ? (page.at(-1)?.position ?? upTo) : upTo;
    const events = page.map((event) => window.wrap(event, event.bytes));
    return { events, position, isCut };
  }

  /** Whether too many events wait in a queue, or its `oldest` one has been deleted: a client can poll without acknowledging. */
  async #isTooFarBehind(
    queue: EventQueue,
    { position, oldest, window }: { position: number; oldest: number; window: EventWindow },
  ): Promise<boolean> {
    const head = window.headPosition;
    if (oldest <= window.base && !(await this.log.isStored(queue.realmId, oldest))) return true;
    if (head - position <= MAX_UNDELIVERED) return false;
    if (head - position > MAX_BEHIND) return true;
    const count = await this.log.countForUser(queue.realmId, readerOf(queue), {
      after: position,
      upTo: head,
      types: typesOf(queue),
      limit: MAX_UNDELIVERED + 1,
    });
    return count > MAX_UNDELIVERED;
  }
}

/** The events that were found up to a position, and those of the window after it. */
function batchOf(
  { progress, lastId, owner: { keyGeneration } }: DueReader,
  window: EventWindow,
  found: DueEvents,
  considered: number,
): EventBatch {
  for (const event of window.after(considered)) found.add(event);
  const { events, isEnough } = found;
  const position = window.headPosition;
  if (events.length === 0) progress.emptySearch = { lastId, keyGeneration, position };
  return { events, window, position, isPartial: isEnough };
}

/** The key of the limit of all queues of an account. */
export const limitOfAccount = (userId: number): string => `account ${userId}`;

const readerOf = ({ userId, options }: EventQueue): LogReader => ({
  userId,
  isPublicListener: options.allPublicStreams,
});

/** The types that a queue reads from the log; null for all. */
const typesOf = ({ options: { eventTypes } }: EventQueue): readonly string[] | null =>
  eventTypes && [...eventTypes, SIGNED_OUT];

/** The event of the last id as well: the queue may have got only some of its forms. */
const firstPosition = ({ startPosition }: EventQueue, lastId: number): number =>
  Math.max(startPosition, positionOf(lastId) - 1);

/** The position after which events for a queue are looked for. */
function searchedPosition({ queue, progress: { emptySearch }, lastId, owner }: DueReader): number {
  const first = firstPosition(queue, lastId);
  if (emptySearch?.keyGeneration !== owner.keyGeneration) return first;
  return lastId < emptySearch.lastId ? first : Math.max(first, emptySearch.position);
}

/** The events that an answer needs. Whether an event is for a queue may take its JSON: no more of them are looked at. */
class DueEvents {
  readonly events: WindowedEvent[] = [];
  #bytes = 0;

  constructor(private readonly reader: Omit<DueReader, 'progress'>) {}

  get isEnough(): boolean {
    return this.events.length >= ENOUGH || this.#bytes >= MAX_BYTES;
  }

  /**
   * Adds the event if it is due and the answer needs it. Throws ApiError if it ends the queue, or the sign-in: the key was
   * replaced after the request had been authenticated.
   */
  add(event: WindowedEvent): void {
    const { queue, lastId, owner } = this.reader;
    const end = event.endOf(owner, queue);
    if (end === 'removed') throw badQueue(queue.id);
    if (end !== null) throw new ApiError(endedSignIn[end]);
    if (this.isEnough || !isUndelivered(event, queue.options, lastId)) return;
    if (!event.isFor(owner, queue.options)) return;
    this.events.push(event);
    this.#bytes += event.bytes;
  }
}

/** The answers to requests after the end of their sign-in. */
export const endedSignIn = {
  key: signInErrors.invalidApiKey,
  deactivation: signInErrors.accountDeactivated,
} as const;
