import { Module } from '@nestjs/common';
import { EventRepository } from './event.repository.js';
import { EventLog } from './event-log.js';

/** The log of events; needs DatabaseModule, and RedisModule to wake gateways. */
@Module({
  providers: [EventRepository, EventLog],
  exports: [EventRepository, EventLog],
})
export class EventLogModule {}
