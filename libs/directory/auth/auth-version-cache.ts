import { randomUUID } from 'node:crypto';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { atMost, PeriodicTask, ToleratedFailures } from '#platform/core';
import { PubSub, REDIS, type Redis } from '#platform/redis';
import { LRUCache } from 'lru-cache';
import { AuthVersionStore } from './auth-versions.store.js';
import { LEASE_MS, SignInLeaseStore, signInChanges } from './sign-in-leases.store.js';

/** About 5 MB at most. */
const MAX_VERSIONS = 50_000;

/** A renewal may fail twice before the lease ends. */
const RENEW_EVERY_MS = 250;

/** A lease ends earlier here than in Redis, whose clock has milliseconds and may run faster. */
const SAFETY_MS = 50;

/**
 * The authentication versions of accounts, in the memory of a gateway. It uses them only while it has a lease, which it has
 * only while it has applied all changes; and a change of a sign-in waits for the leases. So a version here is the shared
 * one at every moment, without a request to Redis.
 */
@Injectable()
export class AuthVersionCache implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #gateway = randomUUID();
  readonly #versions = new LRUCache<number, number>(atMost(MAX_VERSIONS));
  readonly #failures = new ToleratedFailures(AuthVersionCache.name);
  readonly #renewals = new PeriodicTask(RENEW_EVERY_MS, () => this.#renew(), {
    failure: 'The lease for sign-ins was not renewed',
    logger: new Logger(AuthVersionCache.name),
  });
  /** The number of the last applied change; empty without one. */
  #applied = '';
  /** On the clock of `performance.now`. */
  #leaseEndsAt = 0;

  constructor(
    private readonly store: AuthVersionStore,
    private readonly leases: SignInLeaseStore,
    private readonly pubSub: PubSub,
    @Inject(REDIS) private readonly redis: Redis,
  ) {
    this.onLost(() => this.#forget());
  }

  /** Calls `listener` when the connection is lost: after that, Redis may return older versions than before. */
  onLost(listener: () => void): void {
    this.redis.on('close', listener);
  }

  /** The version of an account; null if only Redis knows it. */
  known(userId: number): number | null {
    if (performance.now() >= this.#leaseEndsAt) return null;
    return this.#versions.get(userId) ?? null;
  }

  /** The version of an account; null if Redis has none or does not answer. */
  async current(userId: number): Promise<number | null> {
    return this.known(userId) ?? this.#readAndCache(userId, () => this.store.current(userId));
  }

  /** Raises the shared version to at least `version` and resolves with it; null if Redis does not answer. */
  raise(userId: number, version: number): Promise<number | null> {
    return this.#readAndCache(userId, () => this.store.raise(userId, version));
  }

  async #readAndCache(userId: number, ask: () => Promise<number | null>): Promise<number | null> {
    const applied = this.#applied;
    const version = await ask();
    // A change that was applied in the meantime may be one of this account.
    if (version !== null && applied === this.#applied) this.#versions.set(userId, version);
    return version;
  }

  onApplicationBootstrap(): void {
    const renew = () => void this.#renew().catch((error: unknown) => this.#failures.record(error));
    this.pubSub.onMessage(signInChanges, renew);
    this.#renewals.start();
    renew();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#renewals.stop();
    this.#leaseEndsAt = 0;
    await this.leases.release(this.#gateway).catch(() => undefined);
  }

  /** Applies all changes. Concurrent calls apply the same changes twice, which is harmless. */
  async #renew(): Promise<void> {
    while (!this.#renewals.isStopping) {
      const sentAt = performance.now();
      const renewal = await this.leases.renew(this.#gateway, this.#applied);
      // The lease was given back in the meantime.
      if (this.#renewals.isStopping) return;
      if (renewal.isRenewed) {
        this.#leaseEndsAt = sentAt + LEASE_MS - SAFETY_MS;
        return;
      }
      if (renewal.changed === null) this.#versions.clear();
      else for (const userId of renewal.changed) this.#versions.delete(userId);
      this.#applied = renewal.last;
    }
  }

  #forget(): void {
    this.#leaseEndsAt = 0;
    this.#applied = '';
    this.#versions.clear();
  }
}
