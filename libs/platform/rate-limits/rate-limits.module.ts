import { type DynamicModule, Module } from '@nestjs/common';
import { LIMITS, type Limits } from '#platform/contracts';
import { RATE_LIMIT_RULES, type RateLimitRules, RateLimits } from './rate-limits.js';

@Module({})
export class RateLimitsModule {
  static with(rules: RateLimitRules): DynamicModule {
    return {
      module: RateLimitsModule,
      providers: [{ provide: RATE_LIMIT_RULES, useValue: rules }, RateLimits],
      exports: [RateLimits],
    };
  }
}

/** Provides the caps of the lists of accounts and organisations. */
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
