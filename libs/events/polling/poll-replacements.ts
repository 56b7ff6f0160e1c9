import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { SparedFailures } from '#platform/core';
import { REDIS, type Redis, Subscriber } from '#platform/redis';
import { HeldPolls } from './held-polls.js';

const CHANNEL = 'carillon:events:poll-ended';

/** A poll with this holder is replaced; without a holder, the queue is deleted. */
const message = z.object({ queueId: z.string(), holder: z.string().nullable() });

/** Ends the poll of a queue in the gateway that holds it, when another gateway gets a newer poll or deletes the queue. */
@Injectable()
export class PollReplacements {
  readonly #failures = new SparedFailures(PollReplacements.name);

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly held: HeldPolls,
    subscriber: Subscriber,
  ) {
    subscriber.onMessage(CHANNEL, (text) => this.#end(message.parse(JSON.parse(text))));
  }

  /** Ends the poll of a queue with this holder, in any gateway; with null, its poll because the queue is deleted. */
  announce(queueId: string, holder: string | null): void {
    this.#end({ queueId, holder });
    const text = JSON.stringify({ queueId, holder });
    this.redis.publish(CHANNEL, text).catch((error: unknown) => this.#failures.note(error));
  }

  #end({ queueId, holder }: z.infer<typeof message>): void {
    this.held.end(queueId, holder, holder === null ? 'removed' : 'replaced');
  }
}
