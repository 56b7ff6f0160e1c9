import { type DynamicModule, Module } from '@nestjs/common';
import { TelemetryModule } from '#platform/telemetry';
import { ReceiptRepository } from './receipts.repository.js';
import { ReceiptsService } from './receipts.service.js';

/** What phones say of notifications; needs DatabaseModule. */
@Module({})
export class ReceiptsModule {
  /** `imports`: a module that exports RateLimits. */
  static with({ imports }: { readonly imports: readonly DynamicModule[] }): DynamicModule {
    return {
      module: ReceiptsModule,
      imports: [...imports, TelemetryModule],
      providers: [ReceiptRepository, ReceiptsService],
      exports: [ReceiptsService],
    };
  }
}
