import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type LimitState } from '#contracts';
import type { RateRule } from '#config';
import { SparedFailures } from '#core';
import { REDIS, type Redis } from '#redis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { type Count, LocalCounter } from './local-counter.js';

/**
 * What is limited: one account, one address, the files that an account or an address reads, the tries to sign in
 * to one account, or its test notifications.
 */
export type LimitedEntity = 'user' | 'address' | 'file' | 'sign-in' | 'test-notification';

/** The rules of each, as configured; what is left out is not limited. */
export type RateLimitRules = Readonly<Partial<Record<LimitedEntity, readonly RateRule[]>>>;

/** DI token of the RateLimitRules. */
export const RATE_LIMIT_RULES = Symbol('RateLimitRules');

interface Rule {
  readonly calls: number;
  readonly limiter: RateLimiterRedis;
  /** Counts while Redis is away. */
  readonly fallback: LocalCounter;
}

/**
 * Counts requests in Redis, shared by every gateway; while Redis is away each process counts alone.
 * One charge is one Redis command for each rule, sent together. A key in Redis is a digest: keys come from
 * requests, and neither their length nor their content may get into Redis.
 */
@Injectable()
export class RateLimits {
  readonly #rules: Readonly<Record<LimitedEntity, readonly Rule[]>>;

  constructor(@Inject(REDIS) redis: Redis, @Inject(RATE_LIMIT_RULES) rules: RateLimitRules) {
    const limitersOf = (entity: LimitedEntity) =>
      (rules[entity] ?? [])
        .toSorted((one, other) => one.seconds - other.seconds)
        .map((rule) => createRule(redis, entity, rule));
    this.#rules = {
      user: limitersOf('user'),
      address: limitersOf('address'),
      file: limitersOf('file'),
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
    const digest = digestOf(key);
    const charged = await Promise.all(
      this.#rules[entity].map(async (rule) => ({
        rule,
        result: await consume(rule, digest, calls),
      })),
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
    const digest = digestOf(key);
    const states = await Promise.all(
      this.#rules[entity].map(async (rule) => ({ rule, count: await countOf(rule, digest) })),
    );
    return states.some(({ rule, count }) => (count?.consumedPoints ?? 0) >= rule.calls);
  }

  /** Forgets what was charged to a key. */
  async forgive(entity: LimitedEntity, key: string): Promise<void> {
    const digest = digestOf(key);
    await Promise.all(
      this.#rules[entity].map(({ limiter, fallback }) => {
        fallback.delete(digest);
        return limiter.delete(digest).catch((error: unknown) => spared.note(error));
      }),
    );
  }
}

const spared = new SparedFailures(RateLimits.name);

const digestOf = (key: string): string => hash('sha256', key, 'base64url');

function createRule(redis: Redis, entity: LimitedEntity, rule: RateRule): Rule {
  const limiter = new RateLimiterRedis({
    keyPrefix: `rate:${entity}:${rule.seconds}`,
    points: rule.calls,
    duration: rule.seconds,
    storeClient: redis,
  });
  return { calls: rule.calls, limiter, fallback: new LocalCounter(rule) };
}

/** The library rejects with the same result that it resolves with when the limit is exceeded. */
async function consume({ limiter, fallback }: Rule, digest: string, calls: number): Promise<Count> {
  try {
    return await limiter.consume(digest, calls);
  } catch (result) {
    if (result instanceof RateLimiterRes) return result;
    spared.note(result);
    return fallback.consume(digest, { calls });
  }
}

async function countOf({ limiter, fallback }: Rule, digest: string): Promise<Count | null> {
  try {
    return await limiter.get(digest);
  } catch (error) {
    spared.note(error);
    return fallback.get(digest);
  }
}
