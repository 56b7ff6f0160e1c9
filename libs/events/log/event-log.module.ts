import { Module } from '@nestjs/common';
import { EventRepository } from './event.repository.js';
import { EventLog } from './event-log.js';
import { LogRestorations } from './log-restorations.js';

/** The log of events; needs DatabaseModule, and RedisModule to wake gateways. */
@Module({
  providers: [EventRepository, EventLog, LogRestorations],
  exports: [EventRepository, EventLog, LogRestorations],
})
export class EventLogModule {}
