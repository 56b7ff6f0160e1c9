import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ToleratedFailures } from '#platform/core';
import { REDIS, type Redis, Subscriber } from '#platform/redis';

const ENDED_CHANNEL = 'carillon:events:poll-ended';
const DELETED_CHANNEL = 'carillon:events:queues-deleted';

/** `holder` is the id of a replaced poll; null if the client has deleted the queue. */
const endedPoll = z.object({ queueId: z.string(), holder: z.string().nullable() });
const deletedQueues = z.array(z.string());

/** Receives the id of a replaced poll; null stands for any poll of a queue that the client has deleted. */
type OnEnded = (queueId: string, pollId: string | null) => void;
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

  /** Every notice published after this time of `performance.now()` is delivered to the listeners. */
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

  /** Ends a poll, in any gateway, because a newer one of its queue has begun. */
  endReplaced(queueId: string, pollId: string): void {
    this.#end(queueId, pollId);
  }

  /** Ends the poll of a queue, in any gateway, because the client has deleted the queue. */
  endDeleted(queueId: string): void {
    this.#end(queueId, null);
  }

  /** Notifies all gateways that queues are deleted. Their held polls go on. */
  deleted(queueIds: readonly string[]): void {
    if (queueIds.length === 0) return;
    this.#notifyDeleted(queueIds);
    this.#publish(DELETED_CHANNEL, queueIds);
  }

  #end(queueId: string, pollId: string | null): void {
    this.#notifyEnded(queueId, pollId);
    this.#publish(ENDED_CHANNEL, { queueId, holder: pollId });
  }

  #publish(channel: string, message: object): void {
    this.redis
      .publish(channel, JSON.stringify(message))
      .catch((error: unknown) => this.#failures.record(error));
  }

  #notifyEnded(queueId: string, pollId: string | null): void {
    for (const listener of this.#onEnded) listener(queueId, pollId);
  }

  #notifyDeleted(queueIds: readonly string[]): void {
    for (const listener of this.#onDeleted) listener(queueIds);
  }
}
