import { Module } from '@nestjs/common';
import { CLOCK, systemClock } from '#core';
import { LookAtUsage } from './look-at-usage.js';
import { UsageReportRepository } from './usage-report.repository.js';

/** What an operator sees of usage; needs DatabaseModule. */
@Module({
  providers: [{ provide: CLOCK, useValue: systemClock }, LookAtUsage, UsageReportRepository],
  exports: [LookAtUsage],
})
export class UsageModule {}
