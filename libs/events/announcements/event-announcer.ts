import { Inject, Injectable } from '@nestjs/common';
import { ToleratedFailures } from '#platform/core';
import { REDIS, type Redis } from '#platform/redis';
import { z } from 'zod';

/** The Redis channel of announced events. */
export const ANNOUNCEMENTS_CHANNEL = 'carillon:events:announced';

/** An event that is not stored: clients that poll at that moment get it, others never. */
export interface AnnouncedEvent {
  readonly realmId: number;
  /** A declared type; its forms are made for each queue as those of stored events. */
  readonly type: string;
  readonly body: object;
  readonly userIds: readonly number[];
}

const announcedEvent: z.ZodType<AnnouncedEvent> = z.object({
  realmId: z.int(),
  type: z.string(),
  body: z.looseObject({}),
  userIds: z.array(z.int()),
});

/** Parses a message of the channel; throws for another form. */
export const parseAnnouncement = (text: string): AnnouncedEvent =>
  announcedEvent.parse(JSON.parse(text));

/** Announces events that matter only for seconds, such as typing, to all gateways. */
@Injectable()
export class EventAnnouncer {
  readonly #failures = new ToleratedFailures(EventAnnouncer.name);

  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  /** Returns at once. While Redis is down, the event is lost. */
  announce(event: AnnouncedEvent): void {
    if (event.userIds.length === 0) return;
    this.redis.publish(ANNOUNCEMENTS_CHANNEL, JSON.stringify(event)).catch((error: unknown) => {
      this.#failures.record(error);
    });
  }
}
