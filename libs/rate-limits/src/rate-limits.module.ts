import { type DynamicModule, Module } from '@nestjs/common';
import { RATE_LIMIT_RULES, RateLimits, type RateLimitRules } from './rate-limits.js';

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
