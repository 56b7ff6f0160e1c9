import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ToleratedFailures } from '#platform/core';
import { REDIS, type Redis, Subscriber } from '#platform/redis';

const ENDED_CHANNEL = 'carillon:events:poll-ended';
const DELETED_CHANNEL = 'carillon:events:queues-deleted';

/** The poll of a queue with this holder is replaced; without a holder, the client has deleted the queue. */
const endedPoll = z.object({ queueId: z.string(), holder: z.string().nullable() });
const deletedQueues = z.array(z.string());

type OnEnded = (queueId: string, holder: string | null) => void;
type OnDeleted = (queueIds: readonly string[]) => void;

/**
 * Notifies all gateways of polls that other requests have ended, and of deleted queues. A failure is tolerated: a
 * gateway that misses a message learns of it with the next poll that Redis records.
 */
@Injectable()
export class QueueNotices {
  readonly #failures = new ToleratedFailures(QueueNotices.name);
  readonly #onEnded: OnEnded[] = [];
  readonly #onDeleted: OnDeleted[] = [];

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly subscriber: Subscriber,
  ) {
    subscriber.onMessage(ENDED_CHANNEL, (text) => {
      const { queueId, holder } = endedPoll.parse(JSON.parse(text));
      this.#notifyEnded(queueId, holder);
    });
    subscriber.onMessage(DELETED_CHANNEL, (text) =>
      this.#notifyDeleted(deletedQueues.parse(JSON.parse(text))),
    );
  }

  /** The time of `performance.now()`: the listeners get every notice that is published after it. */
  get completeSince(): number {
    return this.subscriber.receivingSince;
  }

  /** Calls back for polls that other requests end, of this gateway and of the others. */
  onEnded(listener: OnEnded): void {
    this.#onEnded.push(listener);
  }

  /** Calls back for deleted queues. */
  onDeleted(listener: OnDeleted): void {
    this.#onDeleted.push(listener);
  }

  /** Ends the poll of a queue with this holder, in any gateway; with null, its poll because the client deletes the queue. */
  endPoll(queueId: string, holder: string | null): void {
    this.#notifyEnded(queueId, holder);
    this.#publish(ENDED_CHANNEL, { queueId, holder });
  }

  /** Notifies all gateways that queues are deleted. Their held polls go on. */
  deleted(queueIds: readonly string[]): void {
    if (queueIds.length === 0) return;
    this.#notifyDeleted(queueIds);
    this.#publish(DELETED_CHANNEL, queueIds);
  }

  #publish(channel: string, message: object): void {
    this.redis
      .publish(channel, JSON.stringify(message))
      .catch((error: unknown) => this.#failures.record(error));
  }

  #notifyEnded(queueId: string, holder: string | null): void {
    for (const listener of this.#onEnded) listener(queueId, holder);
  }

  #notifyDeleted(queueIds: readonly string[]): void {
    for (const listener of this.#onDeleted) listener(queueIds);
  }
}
