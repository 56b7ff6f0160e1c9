import { createPrivateKey, type KeyObject } from 'node:crypto';
import { decodeJwt, SignJWT } from 'jose';
import { type Clock, deriveKey, openSealedText, sealText, ToleratedFailures } from '#platform/core';
import { type Redis, untilReady } from '#platform/redis';
import type { ProviderTokenSource } from '../apns/apns-credential.js';
import { digestOf } from './credential-check.rules.js';

/** Apple accepts a token for an hour; the difference allows for clock skew. */
const RENEW_AFTER_MS = 50 * 60_000;
/** Apple rejects a team that changes its token more often. */
const MIN_INTERVAL_MS = 20 * 60_000;
/** The interval of checks for a token that should be replaced, but for which it is too early. */
const RECHECK_MS = 5000;

/** Until when a token is used without a check; all times in UNIX milliseconds. */
const recheckAt = (issuedAt: number, now: number): number =>
  Math.max(issuedAt + RENEW_AFTER_MS, now + RECHECK_MS);

/** The expiry of a token in Redis: it has expired when the next one is due; at least 1. */
const redisTtlMs = (issuedAt: number, now: number): number =>
  Math.max(1, issuedAt + RENEW_AFTER_MS - now);

/** How long no other token may be issued; at least 1. */
const lockTtlMs = (issuedAt: number, now: number): number =>
  Math.max(1, issuedAt + MIN_INTERVAL_MS - now);

/** Whether a token may be issued after the last one. */
const mayIssue = (lastAt: number, now: number): boolean => now - lastAt >= MIN_INTERVAL_MS;

/** How long the first push waits for the connection to Redis. */
const REDIS_DEADLINE_MS = 1000;
/** The interval in which a token is written to Redis again, in case Redis has lost it. */
const REPUBLISH_MS = 5000;

/**
 * Agrees on one token for all workers: returns the current one. Without one it stores the offered token, unless
 * another was issued in the last 20 minutes.
 *
 * KEYS: the token; the lock after an issue.
 * ARGV: the offered token; its expiry in ms; the expiry of the lock in ms; a current token to ignore, because
 * Apple rejects it or it cannot be decrypted.
 * Returns the token to use; the ignored one while the lock holds; false if there is no token and the lock holds.
 */
const AGREE = `
  local present = redis.call('GET', KEYS[1])
  if present and present ~= ARGV[4] then return present end
  if not redis.call('SET', KEYS[2], '1', 'PX', ARGV[3], 'NX') then return present end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return ARGV[1]`;

/** The key of a team. */
interface SigningKey {
  /** PEM. */
  readonly key: string;
  readonly keyId: string;
  readonly teamId: string;
}

interface Token {
  readonly text: string;
  /** Encrypted, as in Redis. */
  readonly sealed: string;
  /** UNIX milliseconds. */
  readonly issuedAt: number;
}

interface CachedToken extends Token {
  /** Until then it is used without a check of Redis, in UNIX milliseconds. */
  readonly recheckAt: number;
  /** Whether Apple has rejected it. */
  readonly isRefused: boolean;
}

/**
 * The provider token of one key, shared by all workers: Apple rejects a team that changes its token more often than
 * every 20 minutes. In Redis it is encrypted with a key that is derived from the signing key.
 *
 * While Redis is down, a process uses its cached token. A process without one issues its own, at most one in 20
 * minutes.
 */
class ProviderTokenStore implements ProviderTokenSource {
  readonly #tolerated = new ToleratedFailures(ProviderTokenStore.name);
  readonly #signingKey: KeyObject;
  readonly #sealingKey: Buffer;
  readonly #redisKeys: readonly [token: string, lock: string];
  #cached: CachedToken | undefined;
  #obtaining: Promise<string> | undefined;
  #publishedAt = -Infinity;

  constructor(
    private readonly redis: Redis,
    private readonly team: SigningKey,
    private readonly clock: Clock,
  ) {
    this.#signingKey = createPrivateKey(team.key);
    const secret = this.#signingKey.export({ type: 'pkcs8', format: 'der' });
    this.#sealingKey = deriveKey(secret, 'provider tokens at rest');
    // A corrected key file with the same id must not use the tokens of the wrong key.
    const slot = deriveKey(secret, 'name of provider tokens').toString('hex').slice(0, 12);
    const name = `push:provider-token:{${team.teamId}/${team.keyId}/${slot}}`;
    this.#redisKeys = [name, `${name}:minted`];
  }

  current(): string | Promise<string> {
    const cached = this.#cached;
    if (cached === undefined || cached.isRefused || this.clock() >= cached.recheckAt) {
      return this.#obtainOnce();
    }
    this.#republish(cached);
    return cached.text;
  }

  reportRefused(token: string): void {
    if (this.#cached?.text === token) this.#cached = { ...this.#cached, isRefused: true };
  }

  #obtainOnce(): Promise<string> {
    this.#obtaining ??= this.#obtain().finally(() => {
      this.#obtaining = undefined;
    });
    return this.#obtaining;
  }

  async #obtain(): Promise<string> {
    const refused = this.#cached?.isRefused === true ? this.#cached.sealed : undefined;
    try {
      await untilReady(this.redis, REDIS_DEADLINE_MS);
      const present = await this.redis.get(this.#redisKeys[0]);
      const token = present === refused ? null : this.#decrypt(present);
      if (token !== null) return this.#cache(token);
      const agreed = await this.#agreeOn(await this.#issue(), present);
      const agreedToken = this.#decrypt(agreed);
      if (agreedToken !== null) return this.#cache(agreedToken);
    } catch (error) {
      this.#tolerated.record(error);
    }
    return this.#ownToken();
  }

  /** Without Redis: the cached token while no other may be issued, or else a new one. */
  async #ownToken(): Promise<string> {
    const cached = this.#cached;
    const isLast = cached !== undefined && !mayIssue(cached.issuedAt, this.clock());
    return this.#cache(isLast ? cached : await this.#issue());
  }

  #cache({ text, sealed, issuedAt }: Token): string {
    this.#cached = {
      text,
      sealed,
      issuedAt,
      recheckAt: recheckAt(issuedAt, this.clock()),
      isRefused: false,
    };
    return text;
  }

  /** Redis may have lost the token, and a starting process would issue another. The push does not wait. */
  #republish(cached: CachedToken): void {
    const now = this.clock();
    if (now - this.#publishedAt < REPUBLISH_MS) return;
    this.#publishedAt = now;
    this.#agreeOn(cached, null).catch((error: unknown) => this.#tolerated.record(error));
  }

  async #agreeOn(offered: Token, ignored: string | null): Promise<string | null> {
    const now = this.clock();
    const agreed = await this.redis.eval(
      AGREE,
      2,
      ...this.#redisKeys,
      offered.sealed,
      redisTtlMs(offered.issuedAt, now),
      lockTtlMs(offered.issuedAt, now),
      ignored ?? '',
    );
    return typeof agreed === 'string' ? agreed : null;
  }

  async #issue(): Promise<Token> {
    const issuedAtSeconds = Math.floor(this.clock() / 1000);
    const text = await new SignJWT({})
      .setProtectedHeader({ alg: 'ES256', kid: this.team.keyId })
      .setIssuer(this.team.teamId)
      .setIssuedAt(issuedAtSeconds)
      .sign(this.#signingKey);
    const sealed = sealText(text, this.#sealingKey).toString('base64');
    return { text, sealed, issuedAt: issuedAtSeconds * 1000 };
  }

  /** Decrypts a token; null for a token of another key. */
  #decrypt(sealed: string | null): Token | null {
    if (sealed === null) return null;
    try {
      const text = openSealedText(Buffer.from(sealed, 'base64'), this.#sealingKey);
      return { text, sealed, issuedAt: (decodeJwt(text).iat ?? 0) * 1000 };
    } catch {
      return null;
    }
  }
}

/** The provider tokens of this process: one source for each key, shared by both environments. */
export class ProviderTokens {
  readonly #sources = new Map<string, ProviderTokenSource>();

  constructor(
    private readonly redis: Redis,
    private readonly clock: Clock,
  ) {}

  /** Throws for an invalid key. */
  of({ key, keyId, teamId }: SigningKey): ProviderTokenSource {
    const id = digestOf([key, keyId, teamId]);
    const source =
      this.#sources.get(id) ??
      new ProviderTokenStore(this.redis, { key, keyId, teamId }, this.clock);
    this.#sources.set(id, source);
    return source;
  }
}
