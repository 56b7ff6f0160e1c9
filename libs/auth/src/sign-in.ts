import { timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '#contracts';
import { LRUCache } from 'lru-cache';
import { type Account, AccountRepository } from './account.repository.js';
import { AuthVersionStore } from './auth-versions.store.js';
import type { Credentials } from './basic-authorization.rules.js';

/** DI token of the longest time, in seconds, that a cached sign-in serves without a look at the record. */
export const SIGN_IN_CACHE_SECONDS = Symbol('SignInCacheSeconds');

/** Some 20 MB at the most. */
const MAX_CACHED_ACCOUNTS = 50_000;

/** Digests of keys that no account has: some 2 MB at most. */
const MAX_UNKNOWN_KEYS = 10_000;

/**
 * For so long a key that no account has is refused without a statement. A new key is random and is given out
 * only after its transaction has committed, so it cannot have been looked up, and be remembered here, before it
 * existed. The time is short all the same, for a database that is restored or replaced.
 */
const UNKNOWN_KEY_MS = 5000;

/**
 * Finds the account of an API key.
 *
 * An account is kept in memory, and used only while the version that all gateways agree on in Redis is
 * still its own: so a key that was replaced on any gateway is refused here from the moment that the
 * other's answer leaves. A warm sign-in is one Redis command; a cold one is one SQL statement and two
 * Redis commands; while Redis is away every sign-in is one SQL statement. A key that no account has is
 * remembered for some seconds and costs nothing then.
 */
@Injectable()
export class SignIn {
  readonly #cached: LRUCache<string, Account>;
  /** Keys that had an account when they were last looked up, however long ago. */
  readonly #known = new LRUCache<string, true>({ max: MAX_CACHED_ACCOUNTS });
  readonly #unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN_KEYS, ttl: UNKNOWN_KEY_MS });

  constructor(
    private readonly accounts: AccountRepository,
    private readonly versions: AuthVersionStore,
    @Inject(SIGN_IN_CACHE_SECONDS) cacheSeconds: number,
  ) {
    this.#cached = new LRUCache({ max: MAX_CACHED_ACCOUNTS, ttl: cacheSeconds * 1000 });
    versions.onLost(() => this.#cached.clear());
  }

  /** The account as last seen here, if at all: a hint for work that can go on beside the sign-in. */
  peek({ email, apiKeyDigest }: Credentials): Account | undefined {
    const cached = this.#cached.get(apiKeyDigest);
    return cached !== undefined && isSameEmail(cached.deliveryEmail, email) ? cached : undefined;
  }

  /**
   * Whether this key would be looked up in PostgreSQL without any sign that it belongs to an account. Who sends
   * many such keys is refused before the look-up.
   */
  isGuess({ apiKeyDigest }: Credentials): boolean {
    return !this.#known.has(apiKeyDigest) && !this.#unknown.has(apiKeyDigest);
  }

  /** Resolves with the account; rejects with the ApiError of the contract's part 5. */
  async execute(credentials: Credentials, subdomain: string | null): Promise<Account> {
    const account = await this.#find(credentials.apiKeyDigest);
    if (account === null || !isSameEmail(account.deliveryEmail, credentials.email)) {
      throw new ApiError('invalidApiKey');
    }
    if (account.isRealmDeactivated) throw new ApiError('realmDeactivated');
    if (!account.isActive) throw new ApiError('accountDeactivated');
    if (account.realm.subdomain !== subdomain) throw new ApiError('wrongSubdomain');
    return account;
  }

  async #find(keyDigest: string): Promise<Account | null> {
    const cached = this.#cached.get(keyDigest);
    if (
      cached !== undefined &&
      (await this.versions.current(cached.userId)) === cached.authVersion
    ) {
      return cached;
    }
    this.#cached.delete(keyDigest);
    return this.#load(keyDigest);
  }

  /**
   * Reads the record. What was read is kept only if no later version was agreed on meanwhile; if one
   * was, the record is read again, since it was written before the version was raised.
   */
  async #load(keyDigest: string): Promise<Account | null> {
    if (this.#unknown.has(keyDigest)) return null;
    const keyHash = Buffer.from(keyDigest, 'hex');
    const account = await this.accounts.findByKeyHash(keyHash);
    if (account === null || !timingSafeEqual(account.apiKeyHash, keyHash)) {
      this.#known.delete(keyDigest);
      this.#unknown.set(keyDigest, true);
      return null;
    }
    this.#known.set(keyDigest, true);
    const agreed = await this.versions.raise(account.userId, account.authVersion);
    if (agreed === account.authVersion) this.#cached.set(keyDigest, account);
    return agreed === null || agreed === account.authVersion
      ? account
      : this.accounts.findByKeyHash(keyHash);
  }
}

const isSameEmail = (one: string, other: string): boolean =>
  one.toLowerCase() === other.toLowerCase();
