import { Inject, Injectable } from '@nestjs/common';
import { ToleratedFailures } from '#platform/core';
import { REDIS, type Redis } from '#platform/redis';
import { z } from 'zod';

/** The Redis channel of ephemeral events. */
export const EPHEMERAL_EVENTS_CHANNEL = 'carillon:events:announced';

/**
 * An event that is not stored: clients that poll at that moment get it, others never. Transient events, in contrast, are
 * read from a state behind a cursor, so that a client gets them later too.
 */
export interface EphemeralEvent {
  readonly realmId: number;
  /** A declared type; its forms are made for each queue as those of stored events. */
  readonly type: string;
  readonly body: object;
  readonly userIds: readonly number[];
}

const ephemeralEvent: z.ZodType<EphemeralEvent> = z.object({
  realmId: z.int(),
  type: z.string(),
  body: z.looseObject({}),
  userIds: z.array(z.int()),
});

/** Parses a message of the channel; throws for another form. */
export const parseEphemeralEvent = (text: string): EphemeralEvent =>
  ephemeralEvent.parse(JSON.parse(text));

/** Publishes events that matter only for seconds, such as typing, to all gateways. */
@Injectable()
export class EphemeralEventPublisher {
  readonly #failures = new ToleratedFailures(EphemeralEventPublisher.name);

  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  /** Returns at once. While Redis is down, the event is lost. */
  publish(event: EphemeralEvent): void {
    if (event.userIds.length === 0) return;
    this.redis.publish(EPHEMERAL_EVENTS_CHANNEL, JSON.stringify(event)).catch((error: unknown) => {
      this.#failures.record(error);
    });
  }
}
