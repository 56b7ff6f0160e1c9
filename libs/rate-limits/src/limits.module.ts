import { type DynamicModule, Module } from '@nestjs/common';
import { LIMITS, type Limits } from '#contracts';

/** The caps on what accounts and organisations may have, for every lib that keeps such lists. */
@Module({})
export class LimitsModule {
  static with(limits: Limits): DynamicModule {
    return {
      module: LimitsModule,
      global: true,
      providers: [{ provide: LIMITS, useValue: limits }],
      exports: [LIMITS],
    };
  }
}
