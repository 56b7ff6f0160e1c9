import { Module } from '@nestjs/common';
import { EventLogModule } from '#events/log';
import { LinkifierLookup } from './linkifier-lookup.js';
import { LinkifierRepository } from './linkifier.repository.js';
import { LinkifierEvents } from './linkifiers.events.js';
import { LinkifiersService } from './linkifiers.service.js';

/** Linkifiers. Needs DatabaseModule. */
@Module({
  imports: [EventLogModule],
  providers: [LinkifierEvents, LinkifierLookup, LinkifierRepository, LinkifiersService],
  exports: [LinkifierLookup, LinkifiersService],
})
export class LinkifiersModule {}
