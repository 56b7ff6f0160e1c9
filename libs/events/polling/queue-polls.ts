import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#platform/contracts';
import type { MaybePromise } from '#platform/core';
import { BYTES_OF_CALL } from '#platform/http';
import { RateLimits } from '#platform/rate-limits';
import { IS_GUEST, type IsGuest } from '#events/declarations';
import {
  type Answered,
  type BegunPoll,
  type CachedQueue,
  queueErrors,
  QueuesService,
} from '#events/queues';
import { limitOfAccount, QueueEvents } from './queue-events.js';
import type { QueueOwner } from './windowed-event.js';

/** The parameters of a poll. */
export interface Poll {
  readonly queueId: string;
  /** The highest id that the client has processed; -1 for none. */
  readonly lastEventId: number;
  /** Whether it is answered at once, also without events. */
  readonly isImmediate: boolean;
}

/** The beginning and the end of polls, which are charged to the limit of their queue. */
@Injectable()
export class QueuePolls {
  constructor(
    private readonly queues: QueuesService,
    private readonly events: QueueEvents,
    private readonly limits: RateLimits,
    @Inject(IS_GUEST) private readonly isGuest: IsGuest,
  ) {}

  /** The account of a poll. */
  ownerOf({ userId, role, keyGeneration }: Caller): QueueOwner {
    return { userId, keyGeneration, isGuest: this.isGuest(role) };
  }

  /**
   * Begins a poll, and ends an older one of the queue. Rejects with `badEventQueueId`, `eventAlreadyPruned`,
   * `eventNotInQueue`, or with `rateLimited` beyond 600 polls of a queue in a minute: see `keyOfLimit`.
   */
  async begin(caller: Caller, poll: Poll): Promise<BegunPoll> {
    const { queueId, lastEventId } = poll;
    try {
      return await this.queues.begin(caller, queueId, lastEventId, async (queue) => {
        await this.limits.charge('event-queue', keyOfLimit(poll, queue));
        await this.#checkId(caller, queueId, lastEventId);
      });
    } catch (error) {
      // Polls of unknown queues must not be a way around the limit of the account.
      if (error instanceof ApiError && error.error === queueErrors.badEventQueueId) {
        await this.limits.charge('user', String(caller.userId));
      }
      throw error;
    }
  }

  /**
   * Begins a poll whose queue and last id this gateway knows. Null in all other cases, and if the limit is to be charged in
   * Redis: then `begin` must answer.
   */
  beginKnown(caller: Caller, poll: Poll): MaybePromise<BegunPoll | null> {
    const { queueId, lastEventId, isImmediate } = poll;
    const queue = this.queues.known(caller, queueId);
    if (queue === null || !this.events.isKnownId(caller.realm.id, lastEventId)) return null;
    if (!this.limits.chargeDeferred('event-queue', keyOfLimit(poll, queue))) return null;
    // A poll that does not wait must know of a deletion or a newer poll whose notice has not arrived yet.
    const continued = isImmediate ? null : this.queues.continue(queue, lastEventId);
    return continued ?? this.queues.beginKnown(queue, lastEventId);
  }

  /**
   * Charges an answer by its size to all queues of its account. Rejects with `rateLimited`: the events stay, and a later poll
   * gets them.
   */
  async chargeSize({ queue }: BegunPoll, bytes: number): Promise<void> {
    const calls = Math.floor(bytes / BYTES_OF_CALL);
    if (calls === 0) return;
    await this.limits.charge('event-queue', limitOfAccount(queue.userId), { calls });
  }

  /** Records that a poll has ended: the time without a poll begins. `answered` is what the client will have then. */
  recordEnd(poll: BegunPoll, answered: Answered): void {
    this.queues.recordEnd(poll, answered);
  }

  /** After PostgreSQL was restored and Redis has lost its data, only the id of the client shows that events were lost. */
  async #checkId(caller: Caller, queueId: string, lastEventId: number): Promise<void> {
    try {
      await this.events.checkId(caller.realm.id, lastEventId);
    } catch (error) {
      if (error instanceof ApiError && error.error === queueErrors.eventNotInQueue) {
        await this.queues.removeIfStateLost(caller, queueId);
      }
      throw error;
    }
  }
}

/**
 * The key of the limit of a poll: its queue; for a poll that does not wait, or asks for events that were answered, its
 * account. Otherwise an account with many queues could read the same events as often in each of them.
 */
const keyOfLimit = (
  { queueId, lastEventId, isImmediate }: Poll,
  { queue, progress: { answeredId } }: CachedQueue,
): string => (isImmediate || lastEventId < answeredId ? limitOfAccount(queue.userId) : queueId);
