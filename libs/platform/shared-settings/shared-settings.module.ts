import { type DynamicModule, Module } from '@nestjs/common';
import type { SharedSettings } from '#platform/config';
import { systemClock } from '#platform/core';
import { SettingsComparison } from './settings-comparison.js';
import { SettingsReportStore } from './settings-report.js';

/** Provides the SettingsComparison of a program. It needs RedisModule with the Redis of all programs. */
@Module({})
export class SharedSettingsModule {
  static of(program: string, settings: SharedSettings): DynamicModule {
    return {
      module: SharedSettingsModule,
      providers: [
        SettingsReportStore,
        {
          provide: SettingsComparison,
          inject: [SettingsReportStore],
          useFactory: (store: SettingsReportStore) =>
            new SettingsComparison(program, settings, store, systemClock),
        },
      ],
      exports: [SettingsComparison],
    };
  }
}
