import { type DynamicModule, Module } from '@nestjs/common';
import { GuestAccessModule } from '#directory/guest-access';
import type { PresenceTiming } from '#presence/rules';
import { AskedUserRepository, UserPresenceRepository } from '#presence/last-seen';
import { AskedUserLookup } from './asked-user-lookup.js';
import { LastSeenReader, PRESENCE_TIMING } from './last-seen-reader.js';
import { PresenceViewers, SERVER_URL } from './presence-viewers.js';
import { PresenceEvents } from './presence.events.js';
import { PresenceReadingService } from './presence-reading.service.js';

/** The reading of presence at a gateway, and its events. */
@Module({})
export class PresenceReadingModule {
  /** Needs PresenceClientModule and DatabaseModule. */
  static with(timing: PresenceTiming, externalUrl: string): DynamicModule {
    return {
      module: PresenceReadingModule,
      imports: [GuestAccessModule],
      providers: [
        AskedUserLookup,
        LastSeenReader,
        AskedUserRepository,
        { provide: PRESENCE_TIMING, useValue: timing },
        PresenceViewers,
        PresenceEvents,
        PresenceReadingService,
        { provide: SERVER_URL, useValue: new URL(externalUrl) },
        UserPresenceRepository,
      ],
      exports: [PresenceReadingService, PresenceViewers],
    };
  }
}
