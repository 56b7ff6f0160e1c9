import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Backoff, backoffMs, batchedPerTurn, ToleratedFailures } from '#platform/core';
import { REDIS, type Redis } from '#platform/redis';
import { z } from 'zod';
import { AccountRepository, type AccountVersion } from './account.repository.js';
import { type ChangeNumber, LEASE_MS, SignInLeaseStore } from './sign-in-leases.store.js';

/** Many times the lifetime of a cached sign-in. */
const TTL_SECONDS = 86_400;

/** How often a change polls for the acknowledgements of the gateways. */
const ACK_POLL: Backoff = { firstMs: 1, maxMs: 50 };

/** Returns the highest version, and whether it has replaced a lower one. */
const RAISE = `
  local known = tonumber(redis.call('GET', KEYS[1]) or '-1')
  local given = tonumber(ARGV[1])
  local highest = math.max(known, given)
  redis.call('SET', KEYS[1], string.format('%d', highest), 'EX', ARGV[2])
  return { highest, known >= 0 and known < given and 1 or 0 }`;

const raised = z.tuple([z.int(), z.int()]);

/**
 * The authentication versions that all gateways share in Redis. A cached sign-in is valid only while it has this
 * version. PostgreSQL is the system of record; a version in Redis never decreases.
 */
@Injectable()
export class AuthVersionStore {
  readonly #logger = new Logger(AuthVersionStore.name);
  readonly #failures = new ToleratedFailures(AuthVersionStore.name);
  readonly #read = batchedPerTurn((userIds: readonly number[]) => this.#readAll(userIds));
  /** Until then, Redis may not know all leases. */
  #uncertainUntil = 0;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly accounts: AccountRepository,
    private readonly leases: SignInLeaseStore,
  ) {
    redis.on('close', () => {
      this.#uncertainUntil = Number.POSITIVE_INFINITY;
    });
    redis.on('ready', () => {
      if (this.#uncertainUntil > 0) this.#uncertainUntil = performance.now() + LEASE_MS;
    });
  }

  /** The shared version; null if Redis has none or does not answer. */
  async current(userId: number): Promise<number | null> {
    try {
      return await this.#read(userId);
    } catch (error) {
      this.#failures.record(error);
      return null;
    }
  }

  async #readAll(userIds: readonly number[]): Promise<(number | null)[]> {
    const versions = await this.redis.mget(userIds.map(keyOf));
    return versions.map((version) => (version === null ? null : Number(version)));
  }

  /** Raises the shared version to at least `version` and resolves with it; null if Redis does not answer. */
  async raise(userId: number, version: number): Promise<number | null> {
    try {
      const [highest, isChange] = await this.#raise(userId, version);
      // The gateway that has changed the account died before it raised the version.
      if (isChange) await this.leases.publishChange([userId]);
      return highest;
    } catch (error) {
      this.#failures.record(error);
      return null;
    }
  }

  async #raise(userId: number, version: number): Promise<[number, boolean]> {
    const reply = await this.redis.eval(RAISE, 1, keyOf(userId), version, TTL_SECONDS);
    const [highest, isChange] = raised.parse(reply);
    return [highest, isChange === 1];
  }

  /**
   * Raises the versions of changed accounts. When it resolves, no gateway accepts an older version: each has applied the
   * change, or has no lease any more. Never rejects. During an outage of Redis it waits until all leases have ended, tries
   * once more, and leaves the change to the outbox: then only a gateway that still reaches Redis accepts older versions.
   */
  async raiseAll(changed: readonly AccountVersion[]): Promise<void> {
    if (changed.length === 0) return;
    if (await this.#tryPublish(changed)) return;
    await delay(LEASE_MS);
    await this.#tryPublish(changed);
  }

  async #tryPublish(changed: readonly AccountVersion[]): Promise<boolean> {
    try {
      await this.#untilApplied(await this.#publishAll(changed));
      return true;
    } catch (error) {
      this.#failures.record(error);
      return false;
    }
  }

  /** Raises the shared version to the one in PostgreSQL; rejects if Redis does not answer. */
  async publish(userId: number): Promise<void> {
    const version = await this.accounts.authVersionOf(userId);
    if (version === null) return;
    await this.#publishAll([{ userId, version }]);
  }

  async #publishAll(changed: readonly AccountVersion[]): Promise<ChangeNumber> {
    await Promise.all(changed.map(({ userId, version }) => this.#raise(userId, version)));
    return this.leases.publishChange(changed.map(({ userId }) => userId));
  }

  /** Resolves when no gateway has a lease without the change: at the latest when the leases of this moment have ended. */
  async #untilApplied(change: ChangeNumber): Promise<void> {
    const endsAt = performance.now() + LEASE_MS;
    for (let polls = 1; performance.now() < endsAt; polls += 1) {
      const isCertain = performance.now() >= this.#uncertainUntil;
      if (isCertain && (await this.leases.isApplied(change))) return;
      await delay(backoffMs(polls, ACK_POLL));
    }
    this.#logger.warn(
      'A change of a sign-in waited until all leases ended: a gateway has died or did not apply it, or Redis was restarted.',
    );
  }
}

const keyOf = (userId: number): string => `auth:{u${userId}}:version`;
