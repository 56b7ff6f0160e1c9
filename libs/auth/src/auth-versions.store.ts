import { Inject, Injectable } from '@nestjs/common';
import { SparedFailures } from '#core';
import { REDIS, type Redis } from '#redis';
import DataLoader from 'dataloader';
import { AccountRepository } from './account.repository.js';
import type { OutdatedSignIn } from './outdate-sign-ins.repository.js';

/** Long enough to outlive every cached sign-in many times over. */
const KEPT_SECONDS = 86_400;

const RAISE = `
  local known = tonumber(redis.call('GET', KEYS[1]) or '0')
  local given = tonumber(ARGV[1])
  local highest = math.max(known, given)
  redis.call('SET', KEYS[1], string.format('%d', highest), 'EX', ARGV[2])
  return highest`;

/**
 * The version of each account as all gateways agree on it in Redis: a cached sign-in counts only while
 * its version is the one here. PostgreSQL is the record; a version here only ever rises.
 */
@Injectable()
export class AuthVersionStore {
  readonly #spared = new SparedFailures(AuthVersionStore.name);
  /** Sign-ins of the same turn of the event loop share one command. */
  readonly #versions = new DataLoader((userIds: readonly number[]) => this.#readAll(userIds), {
    cache: false,
    batchScheduleFn: (read) => setImmediate(read),
  });

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly accounts: AccountRepository,
  ) {}

  /** Calls `forget` when the connection is lost: what Redis then says may be older than what it has said. */
  onLost(forget: () => void): void {
    this.redis.on('close', forget);
  }

  /** The agreed version, or null when none is known or Redis is away: then ask the record. */
  async current(userId: number): Promise<number | null> {
    try {
      return await this.#versions.load(userId);
    } catch (error) {
      this.#spared.note(error);
      return null;
    }
  }

  async #readAll(userIds: readonly number[]): Promise<(number | null)[]> {
    const versions = await this.redis.mget(userIds.map(keyOf));
    return versions.map((version) => (version === null ? null : Number(version)));
  }

  /** Makes the agreed version at least this, and resolves with it; null when Redis is away. */
  async raise(userId: number, version: number): Promise<number | null> {
    try {
      return Number(await this.redis.eval(RAISE, 1, keyOf(userId), version, KEPT_SECONDS));
    } catch (error) {
      this.#spared.note(error);
      return null;
    }
  }

  /** Raises the versions of accounts that have changed; what Redis does not take is left to the outbox. */
  async raiseAll(changed: readonly OutdatedSignIn[]): Promise<void> {
    await Promise.all(changed.map(({ userId, version }) => this.raise(userId, version)));
  }

  /** Tells all gateways the version that the record has now; rejects when they cannot be told. */
  async publish(userId: number): Promise<void> {
    const version = await this.accounts.authVersionOf(userId);
    if (version === null) return;
    if ((await this.raise(userId, version)) === null) {
      throw new Error('Redis did not take the new version of an account');
    }
  }
}

const keyOf = (userId: number): string => `auth:{u${userId}}:version`;
