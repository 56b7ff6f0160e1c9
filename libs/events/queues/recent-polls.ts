import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { PeriodicTask, SparedFailures } from '#platform/core';
import type { EventQueue } from './queue.js';
import { QueueNotices } from './queue-notices.js';
import { continuedMs, QueueStateStore } from './queue-state.store.js';

/** Most clients poll again within this time. */
const WAIT_MS = 1000;
/** The ends that are written in one turn of the event loop. */
const ENDS_PER_TURN = 500;

/** A poll that has begun. */
export interface BegunPoll {
  readonly queue: EventQueue;
  /** The last event id that the client has; the start of the queue for a client with none. */
  readonly lastId: number;
  /** The name of the poll and of its gateway. */
  readonly holder: string;
  /** The cursor of the acknowledged transient events; null if it is unknown. */
  readonly cursor: number | null;
  /**
   * When Redis recorded the poll, or the one that it continues, in milliseconds of `performance.now()`. Null while Redis is
   * down: then the poll gets no transient events, since they cannot be recorded.
   */
  readonly recordedAt: number | null;
}

/** What a client has after the answer of a poll. */
export interface Answered {
  /** The last event id. */
  readonly lastId: number;
  /** The cursor of the transient events; null if it is unknown. */
  readonly cursor: number | null;
}

/** A poll whose end is not written yet. */
interface EndedPoll extends Answered {
  readonly poll: BegunPoll;
  /** In milliseconds of `performance.now()`. */
  readonly at: number;
}

/**
 * The polls of this gateway that Redis has recorded, until their ends are written a second or two later. Most clients poll
 * again before that, with the last id of their answer. Such a poll continues the previous one under the same name, and Redis
 * learns nothing of it: a poll through another gateway replaces it as it would replace the previous one. Queues that live
 * hardly longer do not wait. A failure is tolerated, because the beginning of the poll has set a later time of expiry.
 */
@Injectable()
export class RecentPolls implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #failures = new SparedFailures(RecentPolls.name);
  readonly #task = new PeriodicTask(WAIT_MS, () => this.#writeOlder(), {
    failure: 'The ends of polls were not written',
  });
  /** By queue. */
  readonly #active = new Map<string, BegunPoll>();
  /** By queue, the oldest end first. */
  readonly #ended = new Map<string, EndedPoll>();
  #isStopping = false;

  constructor(
    private readonly states: QueueStateStore,
    private readonly notices: QueueNotices,
  ) {
    // Such a poll is not continued, and its end is not written.
    notices.onEnded((queueId, holder) => this.#forget(queueId, holder));
    notices.onDeleted((queueIds) => {
      for (const id of queueIds) this.#forget(id, null);
    });
  }

  onApplicationBootstrap(): void {
    this.#task.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#isStopping = true;
    await this.#task.stop();
    await this.#writeAll([...this.#ended.values()]);
  }

  /** Adds a poll that Redis has recorded. */
  add(poll: BegunPoll): void {
    this.#ended.delete(poll.queue.id);
    this.#active.set(poll.queue.id, poll);
  }

  /** Records that a poll has ended now, unless a newer poll of its queue has begun. */
  end({ queue, holder }: BegunPoll, { lastId, cursor }: Answered): void {
    const poll = this.#active.get(queue.id);
    if (poll?.holder !== holder) return;
    this.#active.delete(queue.id);
    const ended = { poll, lastId, cursor, at: performance.now() };
    if (this.#isStopping || queue.idleSeconds * 1000 <= 3 * WAIT_MS) void this.#write(ended);
    else this.#ended.set(queue.id, ended);
  }

  /** Begins a poll of a client with `lastId` that continues the previous one; null if Redis must record it. */
  continue(queueId: string, lastId: number): BegunPoll | null {
    const ended = this.#ended.get(queueId);
    if (ended?.lastId !== lastId) return null;
    const { queue, holder, recordedAt } = ended.poll;
    // A notice of the end of the poll may be lost.
    if (recordedAt === null || recordedAt < this.notices.completeSince) return null;
    if (performance.now() - recordedAt > continuedMs(queue)) return null;
    const poll = { queue, lastId, holder, cursor: ended.cursor, recordedAt };
    this.add(poll);
    return poll;
  }

  /** The last event id that the client of a queue has acknowledged here lately; 0 if there is none. */
  acknowledgedOf(queueId: string): number {
    const poll = this.#active.get(queueId) ?? this.#ended.get(queueId)?.poll;
    return poll?.lastId ?? 0;
  }

  /** Whether a poll has ended here, while Redis still has its holder. */
  hasEnded(queueId: string, holder: string): boolean {
    return this.#ended.get(queueId)?.poll.holder === holder;
  }

  #forget(queueId: string, holder: string | null): void {
    const isMeant = (poll: BegunPoll | undefined) => holder === null || poll?.holder === holder;
    if (isMeant(this.#active.get(queueId))) this.#active.delete(queueId);
    if (isMeant(this.#ended.get(queueId)?.poll)) this.#ended.delete(queueId);
  }

  async #writeOlder(): Promise<void> {
    const before = performance.now() - WAIT_MS;
    const due: EndedPoll[] = [];
    for (const ended of this.#ended.values()) {
      if (ended.at > before) break;
      due.push(ended);
    }
    for (let start = 0; start < due.length; start += ENDS_PER_TURN) {
      await this.#writeAll(due.slice(start, start + ENDS_PER_TURN));
    }
  }

  async #writeAll(ends: readonly EndedPoll[]): Promise<void> {
    // A poll may have been continued meanwhile.
    const left = ends.filter((ended) => this.#ended.get(ended.poll.queue.id) === ended);
    for (const { poll } of left) this.#ended.delete(poll.queue.id);
    await Promise.all(left.map((ended) => this.#write(ended)));
  }

  async #write({ poll, at }: EndedPoll): Promise<void> {
    try {
      await this.states.end(poll, performance.now() - at);
    } catch (error) {
      this.#failures.note(error);
    }
  }
}
