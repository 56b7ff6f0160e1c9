import { Module } from '@nestjs/common';
import { QueueInventoryModule } from '#events/queues';
import { EventStatusService } from './event-status.service.js';
import { GatewayReportStore } from './gateway-report.store.js';

/** The status of events for operators; needs DatabaseModule and RedisModule. */
@Module({
  imports: [QueueInventoryModule],
  providers: [EventStatusService, GatewayReportStore],
  exports: [EventStatusService, GatewayReportStore],
})
export class EventStatusModule {}
