import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import {
  declaredTransientEvents,
  type TransientChanges,
  type TransientEvents,
  type TransientReader,
  wantsType,
} from '#events/declarations';
import { positionOf, QueuesService, transientIds } from '#events/queues';
import type { PendingPoll } from './held-poll.js';
import { Throttle } from './throttle.js';

/**
 * A change wakes the polls of an organisation if there are at most this many; with more polls, the events are in their
 * next answers.
 */
const MAX_WOKEN = 100;

/** An answer has fewer of these events. */
const MAX_IDS = 1000;

/** The JSON texts of events, and the cursor of the transient events of a client that has them. */
export interface AnswerTexts {
  readonly texts: string[];
  readonly cursor: number | null;
}

/** A held poll that may be woken. */
export interface TransientListener {
  readonly begun: PendingPoll;
  /** Answers the poll with these events. */
  wake(changes: TransientChanges): void;
}

/** Adds transient events to answers, and wakes polls for them in organisations with few polls. */
@Injectable()
export class TransientAnswers implements OnApplicationBootstrap {
  readonly #realms = new Map<number, Set<TransientListener>>();
  readonly #throttle = new Throttle<number>((realmId) => this.#offerAll(realmId));
  #source: TransientEvents | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly queues: QueuesService,
  ) {}

  onApplicationBootstrap(): void {
    this.#source = declaredTransientEvents(this.discovery);
    this.#source?.onChange((realmId) => {
      const realmIds = realmId === null ? this.#realms.keys() : [realmId];
      for (const id of realmIds) {
        if (this.#realms.has(id)) this.#throttle.call(id);
      }
    });
  }

  /**
   * The JSON texts of the transient events for the answer of a poll that has got all stored events up to a position;
   * `found` if they were read before. Never rejects.
   */
  async textsFor(
    poll: PendingPoll,
    position: number,
    found?: TransientChanges,
  ): Promise<AnswerTexts> {
    const nothing = { texts: [], cursor: poll.cursor };
    if (this.#source === undefined || !this.mayBeFor(poll)) return nothing;
    const changes = found ?? (await this.#source.read([readerOf(poll)]))[0] ?? null;
    if (changes === null) return nothing;
    const { events, cursor } = changes;
    const firstId = transientIds(poll.lastId, position, events.length);
    if (firstId === null) return nothing;
    const sent = { lastId: firstId + events.length - 1, cursor };
    // Without a record the same events would be sent again, and wake every poll.
    if (!(await this.queues.recordSent(poll, sent))) return nothing;
    const { type } = this.#source;
    const texts = events.map((event, index) =>
      JSON.stringify({ type, ...event, id: firstId + index }),
    );
    return { texts, cursor };
  }

  /** Wakes a held poll once there are transient events for it, until `stop`. */
  listen(listener: TransientListener): void {
    if (!this.mayBeFor(listener.begun)) return;
    const { realmId } = listener.begun.queue;
    const listeners = this.#realms.get(realmId) ?? new Set();
    this.#realms.set(realmId, listeners.add(listener));
    // For changes since the last answer.
    if (listeners.size <= MAX_WOKEN) void this.#offer(realmId, [listener]);
  }

  /** Ends `listen`. */
  stop(listener: TransientListener): void {
    const { realmId } = listener.begun.queue;
    const listeners = this.#realms.get(realmId);
    listeners?.delete(listener);
    if (listeners?.size === 0) this.#realms.delete(realmId);
  }

  /**
   * Whether a poll may get transient events. Not without enough ids before the next stored event: a poll would be woken for
   * nothing.
   */
  mayBeFor({ queue, lastId, recordedAt }: PendingPoll): boolean {
    if (this.#source === undefined || recordedAt === null) return false;
    if (!wantsType(queue.options, this.#source.type)) return false;
    return transientIds(lastId, positionOf(lastId), MAX_IDS) !== null;
  }

  #offerAll(realmId: number): void {
    const listeners = [...(this.#realms.get(realmId) ?? [])];
    if (listeners.length <= MAX_WOKEN) void this.#offer(realmId, listeners);
  }

  async #offer(realmId: number, listeners: readonly TransientListener[]): Promise<void> {
    const found = await this.#source?.read(listeners.map(({ begun }) => readerOf(begun)));
    listeners.forEach((listener, index) => {
      const changes = found?.[index] ?? null;
      // The poll may have ended meanwhile.
      if (changes !== null && this.#realms.get(realmId)?.has(listener) === true) {
        listener.wake(changes);
      }
    });
  }
}

const readerOf = ({ caller, queue, cursor }: PendingPoll): TransientReader => ({
  caller,
  options: queue.options,
  cursor,
});
