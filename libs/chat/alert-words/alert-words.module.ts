import { Module } from '@nestjs/common';
import { EventLogModule } from '#events/log';
import { AlertWordRepository } from './alert-word.repository.js';
import { AlertWordEvents } from './alert-words.events.js';
import { AlertWordsService } from './alert-words.service.js';

/** Alert words; needs DatabaseModule. */
@Module({
  imports: [EventLogModule],
  providers: [AlertWordEvents, AlertWordRepository, AlertWordsService],
  exports: [AlertWordsService],
})
export class AlertWordsModule {}
