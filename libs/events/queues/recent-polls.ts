import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { PeriodicTask, ToleratedFailures, slicesOf } from '#platform/core';
import type { Answered, BegunPoll } from './poll.js';
import { QueueNotices } from './queue-notices.js';
import { continuedMs } from './queue-lifetime.rules.js';
import { QueueStateStore } from './queue-state.store.js';

/** Most clients poll again within this time. */
const WAIT_MS = 1000;
/** The ends that are written in one turn of the event loop. */
const ENDS_PER_TURN = 500;

interface RecentPoll {
  poll: BegunPoll;
  /** The end of the poll, in milliseconds of `performance.now()`; null until then. */
  ended: (Answered & { readonly at: number }) | null;
}

/**
 * The polls of this gateway that Redis has recorded, until their ends are written a second or two later. Most clients poll
 * again before that, with the last id of their answer. Such a poll continues the previous one under the same name, and Redis
 * learns nothing of it: a poll through another gateway replaces it as it would replace the previous one. The end
 * is written at once if the queue expires after at most three seconds without a poll. A failure is tolerated, because
 * the beginning of the poll has set a later time of expiry.
 */
@Injectable()
export class RecentPolls implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #failures = new ToleratedFailures(RecentPolls.name);
  readonly #task = new PeriodicTask(WAIT_MS, () => this.#writeOlder(), {
    failure: 'The ends of polls were not written',
  });
  /** By queue. */
  readonly #polls = new Map<string, RecentPoll>();

  constructor(
    private readonly states: QueueStateStore,
    private readonly notices: QueueNotices,
  ) {
    // Such a poll is not continued, and its end is not written.
    notices.onEnded((queueId, pollId) => this.#forget(queueId, pollId));
    notices.onDeleted((queueIds) => {
      for (const id of queueIds) this.#forget(id, null);
    });
  }

  onApplicationBootstrap(): void {
    this.#task.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#task.stop();
    await this.#writeAll([...this.#polls.values()]);
  }

  /** Adds a poll that Redis has recorded. */
  add(poll: BegunPoll): void {
    this.#polls.set(poll.queue.id, { poll, ended: null });
  }

  /** Records that a poll has ended now, unless a newer poll of its queue has begun. */
  recordEnd({ queue, pollId }: BegunPoll, { lastId, cursor }: Answered): void {
    const recent = this.#polls.get(queue.id);
    if (recent?.poll.pollId !== pollId) return;
    recent.ended = { lastId, cursor, at: performance.now() };
    if (this.#task.isStopping || queue.idleSeconds * 1000 <= 3 * WAIT_MS) void this.#write(recent);
  }

  /** Begins a poll of a client with `lastId` that continues the previous one; null if Redis must record it. */
  continue(queueId: string, lastId: number): BegunPoll | null {
    const recent = this.#polls.get(queueId);
    if (recent?.ended?.lastId !== lastId) return null;
    const { queue, progress, pollId, recordedAt } = recent.poll;
    // A notice of the end of the poll may be lost.
    if (recordedAt === null || recordedAt < this.notices.completeSince) return null;
    if (performance.now() - recordedAt > continuedMs(queue)) return null;
    recent.poll = { queue, progress, lastId, pollId, cursor: recent.ended.cursor, recordedAt };
    recent.ended = null;
    return recent.poll;
  }

  /** The last event id that a recent poll of a queue has acknowledged at this gateway; 0 without a recent poll. */
  acknowledgedOf(queueId: string): number {
    return this.#polls.get(queueId)?.poll.lastId ?? 0;
  }

  /** Whether a poll has ended here, while Redis still has its id. */
  hasEnded(queueId: string, pollId: string): boolean {
    const recent = this.#polls.get(queueId);
    return recent?.poll.pollId === pollId && recent.ended !== null;
  }

  #forget(queueId: string, pollId: string | null): void {
    if (pollId === null || this.#polls.get(queueId)?.poll.pollId === pollId) {
      this.#polls.delete(queueId);
    }
  }

  async #writeOlder(): Promise<void> {
    const before = performance.now() - WAIT_MS;
    const older = [...this.#polls.values()].filter(({ ended }) => ended && ended.at <= before);
    for (const polls of slicesOf(older, ENDS_PER_TURN)) await this.#writeAll(polls);
  }

  async #writeAll(polls: readonly RecentPoll[]): Promise<void> {
    await Promise.all(polls.map((recent) => this.#write(recent)));
  }

  /** Writes the end of a poll, unless it has not ended, or is continued or followed by another one meanwhile. */
  async #write(recent: RecentPoll): Promise<void> {
    const { poll, ended } = recent;
    if (ended === null || this.#polls.get(poll.queue.id) !== recent) return;
    this.#polls.delete(poll.queue.id);
    try {
      await this.states.recordEnd(poll, performance.now() - ended.at);
    } catch (error) {
      this.#failures.record(error);
    }
  }
}
