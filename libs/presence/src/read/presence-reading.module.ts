import { type DynamicModule, Module } from '@nestjs/common';
import type { PresenceTiming } from '#contracts';
import { CLOCK, systemClock } from '#core';
import { VisibleUsersRepository } from '#guest-access';
import { LastSeenReading } from './last-seen-reading.js';
import { LastSeenRepository } from './last-seen.repository.js';
import { PersonRepository } from './person.repository.js';
import { ReadRealmPresence } from './read-realm-presence.js';
import { PRESENCE_TIMING } from './presence-timing.token.js';
import { ReadUserPresence } from './read-user-presence.js';

/** Reading presence at a gateway. */
@Module({})
export class PresenceReadingModule {
  /** Needs PresenceClientModule and DatabaseModule. */
  static with(timing: PresenceTiming): DynamicModule {
    return {
      module: PresenceReadingModule,
      providers: [
        { provide: CLOCK, useValue: systemClock },
        LastSeenReading,
        LastSeenRepository,
        PersonRepository,
        { provide: PRESENCE_TIMING, useValue: timing },
        ReadRealmPresence,
        ReadUserPresence,
        VisibleUsersRepository,
      ],
      exports: [ReadRealmPresence, ReadUserPresence],
    };
  }
}
