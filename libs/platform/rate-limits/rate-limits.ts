import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { RateRule } from '#platform/config';
import { ApiError, type LimitState, type OnCharged, requestErrors } from '#platform/contracts';
import { ToleratedFailures } from '#platform/core';
import { REDIS, type Redis } from '#platform/redis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { type Count, LocalCounter } from './local-counter.js';
import { DeferredCounter } from './deferred-counter.js';

/** The limited entities. */
type LimitedEntity =
  /** The calls of an account. */
  | 'user'
  /** The calls of an address. */
  | 'address'
  /** The files that an account or an address reads. */
  | 'file'
  /** The sign-in attempts of an account. */
  | 'sign-in'
  /** The test notifications of an account. */
  | 'test-notification'
  /** The registrations of subscriptions of Web Push by an account. */
  | 'web-push'
  /** The receipts of an account: requests that tell what happened to notifications. */
  | 'receipts'
  /** The polls of an event queue. */
  | 'event-queue'
  /** The calls of the server of another installation. */
  | 'server'
  /** The pushes of such a server. */
  | 'server-push'
  /** The uploads of such a server. */
  | 'server-upload'
  /** Those that were refused after they were read. */
  | 'refused-upload'
  /** The registrations of new servers from an address. */
  | 'new-server'
  /** The transfers of servers from an address. */
  | 'address-transfer'
  /** The transfers of all servers together. */
  | 'server-transfer';

/** The entities whose calls a process counts in memory, and reports now and then (see DeferredCounter). */
const deferredEntities = ['user', 'event-queue', 'receipts'] as const;
type DeferredEntity = (typeof deferredEntities)[number];

/** The entities whose calls are counted for all processes at each charge. */
type ExactEntity = Exclude<LimitedEntity, DeferredEntity>;

/** The configured rules of each entity. A missing entity is not limited. */
export type RateLimitRules = Readonly<Partial<Record<LimitedEntity, readonly RateRule[]>>>;

/** DI token of the RateLimitRules. */
export const RATE_LIMIT_RULES = Symbol('RateLimitRules');

/** The options of a charge. */
interface ChargeOptions {
  /** Receives the state of the widest rule, also if the limit is exceeded. */
  readonly onCharged?: OnCharged;
  /** The number of calls to charge. */
  readonly calls?: number;
  /** The rate of this key in place of the configured one. */
  readonly callsPerSecond?: number | null;
  /** Takes the charge back if it exceeds the limit, so that a smaller one may still pass. */
  readonly isRefundedIfRefused?: boolean;
}

interface Rule {
  readonly calls: number;
  readonly seconds: number;
  readonly limiter: RateLimiterRedis;
  /** Counts while Redis is down. */
  readonly fallback: LocalCounter;
  /** Only of the rules of a DeferredEntity. */
  readonly deferred?: DeferredCounter;
}

/**
 * Counts requests in Redis for all gateways; while Redis is down each process counts alone. One charge is one Redis
 * command per rule, in one pipeline; most charges of a DeferredEntity need none. Redis stores digests of the
 * keys, because requests determine their length and content.
 */
@Injectable()
export class RateLimits {
  /** By entity, the widest rule last. */
  readonly #rules: ReadonlyMap<string, readonly Rule[]>;

  constructor(@Inject(REDIS) redis: Redis, @Inject(RATE_LIMIT_RULES) rules: RateLimitRules) {
    this.#rules = new Map(
      Object.entries(rules).map(([entity, given]) => [
        entity,
        given
          .toSorted((one, other) => one.seconds - other.seconds)
          .map((rule) => createRule(redis, entity, rule)),
      ]),
    );
  }

  /** Charges a call in memory. False, and charges nothing, if it has to be reported: then `charge` must charge it. */
  chargeDeferred(entity: DeferredEntity, key: string): boolean {
    const rules = this.#rulesOf(entity);
    if (!rules.every(({ deferred }) => deferred?.canDefer(key))) return false;
    for (const { deferred } of rules) deferred?.count(key, 1);
    return true;
  }

  /**
   * Charges some calls; with `calls: 0` it only looks. Rejects with ApiError `rateLimited` if a limit is exceeded.
   */
  async charge(
    entity: LimitedEntity,
    key: string,
    {
      onCharged,
      calls = 1,
      callsPerSecond = null,
      isRefundedIfRefused = false,
    }: ChargeOptions = {},
  ): Promise<void> {
    const rules = this.#rulesOf(entity);
    const counts = await Promise.all(
      rules.map((rule) => rule.deferred?.charge(key, calls) ?? consume(rule, key, calls)),
    );
    const charged = rules.map((rule, at) => ({
      allowed: callsPerSecond === null ? rule.calls : callsPerSecond * rule.seconds,
      result: counts[at] ?? { consumedPoints: 0, msBeforeNext: 0 },
    }));
    const widest = charged.at(-1);
    if (widest !== undefined) onCharged?.(stateOf(widest));
    const refusal = refusalOf(charged);
    if (refusal === null) return;
    if (isRefundedIfRefused) await this.refund(entity, key, calls);
    throw refusal;
  }

  /** Takes back a charge of the present window. Never rejects. */
  async refund(entity: LimitedEntity, key: string, calls: number): Promise<void> {
    await Promise.all(this.#rulesOf(entity).map((rule) => consume(rule, key, -calls)));
  }

  /** Whether the next charge to a key would be rejected; charges nothing. */
  async isExhausted(entity: ExactEntity, key: string): Promise<boolean> {
    const digest = digestOf(key);
    const states = await Promise.all(
      this.#rulesOf(entity).map(async (rule) => ({ rule, count: await countOf(rule, digest) })),
    );
    return states.some(({ rule, count }) => (count?.consumedPoints ?? 0) >= rule.calls);
  }

  /** Forgets the charges of a key. */
  async reset(entity: ExactEntity, key: string): Promise<void> {
    const digest = digestOf(key);
    await Promise.all(
      this.#rulesOf(entity).map(({ limiter, fallback }) => {
        fallback.delete(digest);
        return limiter.delete(digest).catch((error: unknown) => tolerated.record(error));
      }),
    );
  }

  #rulesOf(entity: LimitedEntity): readonly Rule[] {
    return this.#rules.get(entity) ?? [];
  }
}

const tolerated = new ToleratedFailures(RateLimits.name);

const digestOf = (key: string): string => hash('sha256', key, 'base64url');

function createRule(redis: Redis, entity: string, rule: RateRule): Rule {
  const limiter = new RateLimiterRedis({
    keyPrefix: `rate:${entity}:${rule.seconds}`,
    points: rule.calls,
    duration: rule.seconds,
    storeClient: redis,
  });
  const exact = { ...rule, limiter, fallback: new LocalCounter(rule) };
  if (!deferredEntities.some((name) => name === entity)) return exact;
  const deferred = new DeferredCounter(rule, (key, calls, seconds) =>
    consume(exact, key, calls, seconds),
  );
  return { ...exact, deferred };
}

/** The state of one rule after a charge. */
interface ChargedRule {
  readonly allowed: number;
  readonly result: Pick<Count, 'consumedPoints' | 'msBeforeNext'>;
}

function refusalOf(charged: readonly ChargedRule[]): ApiError | null {
  const exceeded = charged.filter(({ allowed, result }) => result.consumedPoints > allowed);
  if (exceeded.length === 0) return null;
  const waitMs = Math.max(...exceeded.map(({ result }) => result.msBeforeNext));
  return new ApiError(requestErrors.rateLimited, {}, { 'retry-after': waitMs / 1000 });
}

const stateOf = ({ allowed, result }: ChargedRule): LimitState => ({
  limit: allowed,
  remaining: Math.max(0, allowed - result.consumedPoints),
  resetsAt: Math.ceil((Date.now() + result.msBeforeNext) / 1000),
});

/** The library rejects with the same result that it resolves with when the limit is exceeded. */
async function consume(
  { limiter, fallback, seconds }: Rule,
  key: string,
  calls: number,
  customDuration = seconds,
): Promise<Count> {
  const digest = digestOf(key);
  try {
    return await limiter.consume(digest, calls, { customDuration });
  } catch (result) {
    if (result instanceof RateLimiterRes) return result;
    tolerated.record(result);
    return fallback.consume(digest, { calls });
  }
}

async function countOf({ limiter, fallback }: Rule, digest: string): Promise<Count | null> {
  try {
    return await limiter.get(digest);
  } catch (error) {
    tolerated.record(error);
    return fallback.get(digest);
  }
}
