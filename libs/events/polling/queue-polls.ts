import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#platform/contracts';
import { RateLimits } from '#platform/rate-limits';
import {
  type BegunPoll,
  type EventQueue,
  type PollStart,
  queueErrors,
  QueuesService,
} from '#events/queues';
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
      const begun = await this.queues.begin(caller, queueId, this.#start(lastEventId, holder), () =>
        this.#checkId(caller, queueId, lastEventId),
      );
      this.#endReplaced(queueId, begun);
      // Without Redis, this gateway counts alone.
      if (!begun.isRecorded) await this.limits.charge('event-queue', `${caller.userId}:${queueId}`);
      return begun;
    } catch (error) {
      // Polls of unknown queues and ids must not be a way around the limit of the account.
      if (error instanceof ApiError && uncounted.has(error.error)) {
        await this.limits.charge('user', String(caller.userId));
      }
      throw error;
    }
  }

  /**
   * Begins a poll whose queue and last id this gateway knows. Resolves with null in all other cases, in which `begin` finds
   * the error.
   */
  async beginKnown(
    caller: Caller,
    { queueId, lastEventId }: { readonly queueId: string; readonly lastEventId: number },
    holder: string,
  ): Promise<BegunPoll | null> {
    if (!this.events.isKnownId(caller.realm.id, lastEventId)) return null;
    const start = this.#start(lastEventId, holder);
    const begun = await this.queues.beginKnown(caller, queueId, start);
    if (begun !== null) this.#endReplaced(queueId, begun);
    return begun;
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

  /** The script that begins a poll counts it too: a charge would be a second command for each poll. */
  #start(lastId: number, holder: string): PollStart {
    return { lastId, holder, limits: this.limits.rulesOf('event-queue') };
  }

  #endReplaced(queueId: string, { replaced }: BegunPoll): void {
    if (replaced !== null) this.replacements.announce(queueId, replaced);
  }

  /** After PostgreSQL was restored and Redis has lost its data, only the id of the client shows that events were lost. */
  async #checkId(caller: Caller, queueId: string, lastEventId: number): Promise<void> {
    try {
      await this.events.checkId(caller.realm.id, lastEventId);
    } catch (error) {
      if (error instanceof ApiError && error.error === queueErrors.eventNotInQueue) {
        await this.queues.refuseLost(caller, queueId);
      }
      throw error;
    }
  }
}

/** The rejections of polls that the script has not counted. */
const uncounted: ReadonlySet<unknown> = new Set([
  queueErrors.badEventQueueId,
  queueErrors.eventNotInQueue,
]);
