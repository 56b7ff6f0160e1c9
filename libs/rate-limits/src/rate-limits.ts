import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type LimitState } from '#contracts';
import type { RateRule } from '#config';
import { REDIS, type Redis } from '#redis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

/** What is limited: one account, one address, the tries to sign in to one account, or its test notifications. */
export type LimitedEntity = 'user' | 'address' | 'sign-in' | 'test-notification';

/** The rules of each, as configured; what is left out is not limited. */
export type RateLimitRules = Readonly<Partial<Record<LimitedEntity, readonly RateRule[]>>>;

/** DI token of the RateLimitRules. */
export const RATE_LIMIT_RULES = Symbol('RateLimitRules');

interface Rule {
  readonly calls: number;
  readonly limiter: RateLimiterRedis;
}

/**
 * Counts requests in Redis, shared by every gateway; while Redis is away each process counts alone.
 * One charge is one Redis command for each rule, sent together.
 */
@Injectable()
export class RateLimits {
  readonly #rules: Readonly<Record<LimitedEntity, readonly Rule[]>>;

  constructor(@Inject(REDIS) redis: Redis, @Inject(RATE_LIMIT_RULES) rules: RateLimitRules) {
    const limitersOf = (entity: LimitedEntity) =>
      (rules[entity] ?? [])
        .toSorted((one, other) => one.seconds - other.seconds)
        .map((rule) => ({ calls: rule.calls, limiter: createLimiter(redis, entity, rule) }));
    this.#rules = {
      user: limitersOf('user'),
      address: limitersOf('address'),
      'sign-in': limitersOf('sign-in'),
      'test-notification': limitersOf('test-notification'),
    };
  }

  /**
   * Charges a call, or several at once. `onCharged` hears how the widest rule stands, also when the limit is exceeded,
   * which rejects with ApiError `rateLimited`.
   */
  async charge(
    entity: LimitedEntity,
    key: string,
    onCharged: (state: LimitState) => void = () => undefined,
    calls = 1,
  ): Promise<void> {
    const charged = await Promise.all(
      this.#rules[entity].map(async (rule) => ({ rule, result: await consume(rule, key, calls) })),
    );
    const widest = charged.at(-1);
    if (widest !== undefined) {
      onCharged({
        limit: widest.rule.calls,
        remaining: Math.max(0, widest.result.remainingPoints),
        resetsAt: Math.ceil((Date.now() + widest.result.msBeforeNext) / 1000),
      });
    }
    const exceeded = charged.filter(({ rule, result }) => result.consumedPoints > rule.calls);
    if (exceeded.length === 0) return;
    const waitMs = Math.max(...exceeded.map(({ result }) => result.msBeforeNext));
    throw new ApiError('rateLimited', {}, { 'retry-after': waitMs / 1000 });
  }

  /** Whether the next charge to a key would be refused; charges nothing. */
  async isUsedUp(entity: LimitedEntity, key: string): Promise<boolean> {
    const states = await Promise.all(
      this.#rules[entity].map(async ({ calls, limiter }) => ({
        calls,
        charged: (await limiter.get(key))?.consumedPoints ?? 0,
      })),
    );
    return states.some(({ calls, charged }) => charged >= calls);
  }

  /** Forgets what was charged to a key. */
  async forgive(entity: LimitedEntity, key: string): Promise<void> {
    await Promise.all(
      this.#rules[entity].map(({ limiter }) => limiter.delete(key).catch(() => undefined)),
    );
  }
}

function createLimiter(redis: Redis, entity: LimitedEntity, rule: RateRule): RateLimiterRedis {
  const options = {
    keyPrefix: `rate:${entity}:${rule.seconds}`,
    points: rule.calls,
    duration: rule.seconds,
  };
  return new RateLimiterRedis({
    ...options,
    storeClient: redis,
    insuranceLimiter: new RateLimiterMemory(options),
  });
}

/** The library rejects with the same result that it resolves with when the limit is exceeded. */
async function consume(rule: Rule, key: string, calls: number): Promise<RateLimiterRes> {
  try {
    return await rule.limiter.consume(key, calls);
  } catch (result) {
    if (result instanceof RateLimiterRes) return result;
    throw result;
  }
}
