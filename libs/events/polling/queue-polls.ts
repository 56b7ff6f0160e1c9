import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#platform/contracts';
import { RateLimits } from '#platform/rate-limits';
import { type BegunPoll, type EventQueue, queueErrors, QueuesService } from '#events/queues';
import { PollReplacements } from './poll-replacements.js';
import { QueueEvents } from './queue-events.js';

/** The beginning and the end of polls, and of their queues. */
@Injectable()
export class QueuePolls {
  constructor(
    private readonly queues: QueuesService,
    private readonly events: QueueEvents,
    private readonly replacements: PollReplacements,
    private readonly limits: RateLimits,
  ) {}

  /**
   * Begins a poll, and ends an older one of the queue. Rejects with `badEventQueueId`, `eventAlreadyPruned`,
   * `eventNotInQueue`, or with `rateLimited` beyond 600 polls of a queue in a minute.
   */
  async begin(
    caller: Caller,
    { queueId, lastEventId }: { readonly queueId: string; readonly lastEventId: number },
    holder: string,
  ): Promise<BegunPoll> {
    try {
      const [begun] = await Promise.all([
        this.queues.begin(caller, queueId, { lastId: lastEventId, holder }, () =>
          this.events.checkId(caller.realm.id, lastEventId),
        ),
        this.limits.charge('event-queue', `${caller.userId}:${queueId}`),
      ]);
      if (begun.replaced !== null) this.replacements.announce(queueId, begun.replaced);
      return begun;
    } catch (error) {
      // Unknown queues must not be a way around the limit of the account.
      const isUnknown = error instanceof ApiError && error.error === queueErrors.badEventQueueId;
      if (isUnknown) await this.limits.charge('user', String(caller.userId));
      throw error;
    }
  }

  /** Ends a poll: the time without a poll begins. */
  end(queue: EventQueue, holder: string): void {
    this.queues.end(queue, holder);
  }

  /** Deletes a queue and ends its poll. Rejects with `badEventQueueId` if the caller has no such queue. */
  async remove(caller: Caller, queueId: string): Promise<void> {
    await this.queues.remove(caller, queueId);
    this.replacements.announce(queueId, null);
  }
}
