import { Injectable } from '@nestjs/common';
import { PubSub, type Topic } from '#platform/redis';
import { z } from 'zod';

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

/** The topic of ephemeral events. */
export const ephemeralEvents: Topic<EphemeralEvent> = {
  name: 'carillon:events:announced',
  source: 'ephemeral-event',
  schema: z.object({
    realmId: z.int(),
    type: z.string(),
    body: z.looseObject({}),
    userIds: z.array(z.int()),
  }),
};

/** Publishes events that matter only for seconds, such as typing, to all gateways. */
@Injectable()
export class EphemeralEventPublisher {
  constructor(private readonly pubSub: PubSub) {}

  /** Returns at once. While Redis is down, the event is lost. */
  publish(event: EphemeralEvent): void {
    if (event.userIds.length > 0) this.pubSub.publish(ephemeralEvents, event);
  }
}
