import { Module } from '@nestjs/common';
import type { Endpoints } from '#platform/http';
import { TelemetryModule } from '#platform/telemetry';
import { ReceiptRepository } from './receipts.repository.js';
import { ReceiptsController } from './receipts.controller.js';
import { ReceiptsService } from './receipts.service.js';

/** What phones say of notifications; needs DatabaseModule. */
@Module({
  imports: [TelemetryModule],
  providers: [ReceiptRepository, ReceiptsService],
  exports: [ReceiptsService],
})
class ReceiptsModule {}

export const receiptsEndpoints: Endpoints = {
  imports: [ReceiptsModule],
  controllers: [ReceiptsController],
};
