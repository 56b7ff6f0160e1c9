import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { PeriodicTask, SparedFailures } from '#platform/core';
import type { EventQueue } from './queue.js';
import { QueueStateStore } from './queue-state.store.js';

/** Most clients poll again within this time. */
const WAIT_MS = 1000;
/** The ends that are written in one turn of the event loop. */
const ENDS_PER_TURN = 500;

interface PollEnd {
  readonly queue: EventQueue;
  readonly holder: string;
  /** In milliseconds of `performance.now()`. */
  readonly at: number;
}

/**
 * Writes the ends of polls to Redis. Each end waits a second or two: the next poll of a queue replaces the time of expiry
 * anyway, so that a client that polls again at once costs no second command. Queues that live hardly longer do not wait. A
 * failure is tolerated, because the beginning of the poll has set a later time.
 */
@Injectable()
export class PollEnds implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #failures = new SparedFailures(PollEnds.name);
  readonly #task = new PeriodicTask(WAIT_MS, () => this.#writeOlder(), {
    failure: 'The ends of polls were not written',
  });
  /** By queue, the oldest end first. */
  readonly #waiting = new Map<string, PollEnd>();
  #isStopping = false;

  constructor(private readonly states: QueueStateStore) {}

  onApplicationBootstrap(): void {
    this.#task.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#isStopping = true;
    await this.#task.stop();
    await this.#write([...this.#waiting.values()]);
  }

  /** Records that a poll has ended now. */
  add(queue: EventQueue, holder: string): void {
    const end = { queue, holder, at: performance.now() };
    if (this.#isStopping || queue.idleSeconds * 1000 <= 3 * WAIT_MS) void this.#write([end]);
    else this.#waiting.set(queue.id, end);
  }

  /** Forgets the end of the previous poll, because another one has begun. Returns the holder of the ended poll, if any. */
  cancel(queueId: string): string | null {
    const ended = this.#waiting.get(queueId);
    if (ended === undefined) return null;
    this.#waiting.delete(queueId);
    return ended.holder;
  }

  async #writeOlder(): Promise<void> {
    const before = performance.now() - WAIT_MS;
    const due: PollEnd[] = [];
    for (const end of this.#waiting.values()) {
      if (end.at > before) break;
      due.push(end);
    }
    for (let start = 0; start < due.length; start += ENDS_PER_TURN) {
      await this.#write(due.slice(start, start + ENDS_PER_TURN));
    }
  }

  async #write(ends: readonly PollEnd[]): Promise<void> {
    await Promise.all(
      ends.map(async ({ queue, holder, at }) => {
        if (this.#waiting.get(queue.id)?.holder === holder) this.#waiting.delete(queue.id);
        try {
          await this.states.end(queue, holder, performance.now() - at);
        } catch (error) {
          this.#failures.note(error);
        }
      }),
    );
  }
}
