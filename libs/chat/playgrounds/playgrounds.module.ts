import { Module } from '@nestjs/common';
import { EventLogModule } from '#events/log';
import { PlaygroundRepository } from './playground.repository.js';
import { PlaygroundEvents } from './playgrounds.events.js';
import { PlaygroundsService } from './playgrounds.service.js';

@Module({
  imports: [EventLogModule],
  providers: [PlaygroundEvents, PlaygroundRepository, PlaygroundsService],
  exports: [PlaygroundsService],
})
export class PlaygroundsModule {}
