import { Inject, Injectable } from '@nestjs/common';
import { ApiError, signInErrors } from '#platform/contracts';
import { atMost } from '#platform/core';
import { LRUCache } from 'lru-cache';
import { type Account, AccountRepository } from './account.repository.js';
import { AuthVersionCache } from './auth-version-cache.js';
import type { Credentials } from './basic-authorization.rules.js';

/** DI token of the lifetime of a cached sign-in, in seconds. */
export const SIGN_IN_CACHE_SECONDS = Symbol('SignInCacheSeconds');

/** About 60 MB at most, with their headers. */
const MAX_CACHED_ACCOUNTS = 50_000;

/**
 * Longer headers are decoded at each request. The longest email address and a key need 390 characters; a client may add
 * spaces up to the limit of all headers, and cached headers of that length would fill the memory.
 */
const MAX_CACHED_HEADER_LENGTH = 512;

/** About 2 MB of digests at most. */
const MAX_UNKNOWN_KEYS = 10_000;

/**
 * The time for which an unknown key is rejected without a statement. A new key is random and leaves the server only
 * after its commit, so it is never cached as unknown. The time is short because the database can be restored or
 * replaced.
 */
const UNKNOWN_KEY_MS = 5000;

/**
 * Finds the account of an API key.
 *
 * A cached account is valid only while it has the shared authentication version, so every gateway rejects a replaced
 * key as soon as the gateway that replaced it answers. Cost of a sign-in: nothing with a cached account and version, one
 * Redis command without the version, one SQL statement and two Redis commands without the account, one SQL statement
 * during an outage of Redis, nothing for a key that is cached as unknown.
 */
@Injectable()
export class ApiKeyVerifier {
  /** By key: a client may spell its header in any number of ways, and must not cause a statement with each. */
  readonly #accountsByKey: LRUCache<string, Account>;
  /** The cached accounts by the `Authorization` headers of their requests, which need not be decoded and hashed again. */
  readonly #accountsByHeader: LRUCache<string, Account>;
  /** The keys that belonged to an account at their last look-up. */
  readonly #knownKeys = new LRUCache<string, true>(atMost(MAX_CACHED_ACCOUNTS));
  readonly #unknownKeys = new LRUCache<string, true>({
    ...atMost(MAX_UNKNOWN_KEYS),
    ttl: UNKNOWN_KEY_MS,
  });

  constructor(
    private readonly accounts: AccountRepository,
    private readonly versions: AuthVersionCache,
    @Inject(SIGN_IN_CACHE_SECONDS) cacheSeconds: number,
  ) {
    const cache = { ...atMost(MAX_CACHED_ACCOUNTS), ttl: cacheSeconds * 1000 };
    this.#accountsByKey = new LRUCache(cache);
    this.#accountsByHeader = new LRUCache(cache);
    versions.onLost(() => {
      this.#accountsByKey.clear();
      this.#accountsByHeader.clear();
    });
  }

  /**
   * Whether the key was never verified and needs a look-up in PostgreSQL. A client that sends many such keys is rejected
   * before the look-up.
   */
  isGuess({ apiKeyDigest }: Credentials): boolean {
    return !this.#knownKeys.has(apiKeyDigest) && !this.#unknownKeys.has(apiKeyDigest);
  }

  /** The account of an `Authorization` header, if nothing has to be looked up; null if `verify` has to answer. */
  known(header: string, subdomain: string | null): Account | null {
    const account = this.#accountsByHeader.get(header);
    if (account === undefined) return null;
    if (this.versions.known(account.userId) !== account.authVersion) return null;
    return refusalOf(account, subdomain) === null ? account : null;
  }

  /** Resolves with the account of the credentials in a header; rejects with an ApiError of `signInErrors`. */
  async verify(
    header: string,
    credentials: Credentials,
    subdomain: string | null,
  ): Promise<Account> {
    const account = await this.#find(credentials.apiKeyDigest);
    if (account === null || !isSameEmail(account.deliveryEmail, credentials.email)) {
      throw new ApiError(signInErrors.invalidApiKey);
    }
    const refusal = refusalOf(account, subdomain);
    if (refusal !== null) throw new ApiError(refusal);
    if (header.length <= MAX_CACHED_HEADER_LENGTH) {
      const ttl = this.#accountsByKey.getRemainingTTL(credentials.apiKeyDigest);
      if (ttl > 0) this.#accountsByHeader.set(header, account, { ttl });
    }
    return account;
  }

  async #find(keyDigest: string): Promise<Account | null> {
    const cached = this.#accountsByKey.get(keyDigest);
    if (
      cached !== undefined &&
      (await this.versions.current(cached.userId)) === cached.authVersion
    ) {
      return cached;
    }
    this.#accountsByKey.delete(keyDigest);
    return this.#load(keyDigest);
  }

  /**
   * Reads and caches the account. If Redis already has a later version, the account changed during the read and is read
   * again without caching.
   */
  async #load(keyDigest: string): Promise<Account | null> {
    if (this.#unknownKeys.has(keyDigest)) return null;
    const keyHash = Buffer.from(keyDigest, 'hex');
    const account = await this.accounts.findByKeyHash(keyHash);
    if (account === null) {
      this.#knownKeys.delete(keyDigest);
      this.#unknownKeys.set(keyDigest, true);
      return null;
    }
    this.#knownKeys.set(keyDigest, true);
    const agreed = await this.versions.raise(account.userId, account.authVersion);
    if (agreed === account.authVersion) this.#accountsByKey.set(keyDigest, account);
    return agreed === null || agreed === account.authVersion
      ? account
      : this.accounts.findByKeyHash(keyHash);
  }
}

/** Why an account with the right key must not sign in; null if it may. */
function refusalOf({ isRealmDeactivated, isActive, realm }: Account, subdomain: string | null) {
  if (isRealmDeactivated) return signInErrors.realmDeactivated;
  if (!isActive) return signInErrors.accountDeactivated;
  return realm.subdomain === subdomain ? null : signInErrors.wrongSubdomain;
}

const isSameEmail = (one: string, other: string): boolean =>
  one === other || one.toLowerCase() === other.toLowerCase();
