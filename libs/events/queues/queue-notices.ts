import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { PubSub, type Topic } from '#platform/redis';

interface PollEnd {
  readonly queueId: string;
  /** The id of a replaced poll; null if the client has deleted the queue. */
  readonly holder: string | null;
}

const endedPolls: Topic<PollEnd> = {
  name: 'carillon:events:poll-ended',
  source: 'ended-poll',
  schema: z.object({ queueId: z.string(), holder: z.string().nullable() }),
};
const deletedQueues: Topic<readonly string[]> = {
  name: 'carillon:events:queues-deleted',
  source: 'deleted-queues',
  schema: z.array(z.string()),
};

/** Receives the id of a replaced poll; null stands for any poll of a queue that the client has deleted. */
type OnEnded = (queueId: string, pollId: string | null) => void;
type OnDeleted = (queueIds: readonly string[]) => void;

/**
 * Notifies all gateways of polls that other requests have ended, and of deleted queues. A failure is tolerated: a
 * gateway that misses a message learns of it with the next poll that Redis records. If Redis has not learnt of a deletion
 * either, the gateway learns of it when it extends the life of the queue in PostgreSQL; of a deletion by AccountQueues, from
 * its event.
 */
@Injectable()
export class QueueNotices {
  readonly #onEnded: OnEnded[] = [];
  readonly #onDeleted: OnDeleted[] = [];

  constructor(private readonly pubSub: PubSub) {
    pubSub.onMessage(endedPolls, ({ queueId, holder }) => this.#notifyEnded(queueId, holder));
    pubSub.onMessage(deletedQueues, (queueIds) => this.#notifyDeleted(queueIds));
  }

  /** Every notice published after this time of `performance.now()` is delivered to the listeners. */
  get completeSince(): number {
    return this.pubSub.receivingSince;
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
    this.pubSub.publish(deletedQueues, queueIds);
  }

  #end(queueId: string, pollId: string | null): void {
    this.#notifyEnded(queueId, pollId);
    this.pubSub.publish(endedPolls, { queueId, holder: pollId });
  }

  #notifyEnded(queueId: string, pollId: string | null): void {
    for (const listener of this.#onEnded) listener(queueId, pollId);
  }

  #notifyDeleted(queueIds: readonly string[]): void {
    for (const listener of this.#onDeleted) listener(queueIds);
  }
}
