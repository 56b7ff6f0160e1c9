import { Inject, Injectable } from '@nestjs/common';
import type { SignInProof } from '#platform/contracts';
import { batchedPerTurn, SparedFailures } from '#platform/core';
import { REDIS, type Redis } from '#platform/redis';
import { AccountRepository, type BumpedAuthVersion } from './account.repository.js';

/** Many times the lifetime of a cached sign-in. */
const TTL_SECONDS = 86_400;

const RAISE = `
  local known = tonumber(redis.call('GET', KEYS[1]) or '0')
  local given = tonumber(ARGV[1])
  local highest = math.max(known, given)
  redis.call('SET', KEYS[1], string.format('%d', highest), 'EX', ARGV[2])
  return highest`;

/**
 * The authentication versions that all gateways share in Redis. A cached sign-in is valid only while it has this
 * version. PostgreSQL is the system of record; a version in Redis never decreases.
 */
@Injectable()
export class AuthVersionStore {
  readonly #failures = new SparedFailures(AuthVersionStore.name);
  readonly #read = batchedPerTurn((userIds: readonly number[]) => this.#readAll(userIds));

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly accounts: AccountRepository,
  ) {}

  /** Calls `listener` when the connection is lost: after that, Redis may return older versions than before. */
  onLost(listener: () => void): void {
    this.redis.on('close', listener);
  }

  /** The proof that an account still has this version. */
  proofOf(userId: number, version: number): SignInProof {
    return { key: keyOf(userId), value: String(version) };
  }

  /** The shared version; null if Redis has none or does not answer. */
  async current(userId: number): Promise<number | null> {
    try {
      return await this.#read(userId);
    } catch (error) {
      this.#failures.note(error);
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
      return Number(await this.redis.eval(RAISE, 1, keyOf(userId), version, TTL_SECONDS));
    } catch (error) {
      this.#failures.note(error);
      return null;
    }
  }

  /** Raises the versions of changed accounts; the outbox retries failures. */
  async raiseAll(changed: readonly BumpedAuthVersion[]): Promise<void> {
    await Promise.all(changed.map(({ userId, version }) => this.raise(userId, version)));
  }

  /** Raises the shared version to the one in PostgreSQL; rejects if Redis does not answer. */
  async publish(userId: number): Promise<void> {
    const version = await this.accounts.authVersionOf(userId);
    if (version === null) return;
    if ((await this.raise(userId, version)) === null) {
      throw new Error('Redis did not store the new version of an account');
    }
  }
}

const keyOf = (userId: number): string => `auth:{u${userId}}:version`;
