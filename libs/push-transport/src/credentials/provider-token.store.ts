import { createPrivateKey, type KeyObject } from 'node:crypto';
import { decodeJwt, SignJWT } from 'jose';
import { type Clock, deriveKey, openSealedText, sealText, SparedFailures } from '#core';
import { type Redis, untilReady } from '#redis';
import type { ProviderTokenSource } from '../apns/apns-credential.js';
import { askAgainAt, lifeInRedisMs, mayMint, restOfPauseMs } from './provider-token.rules.js';

/** How long a first push waits for the connection to Redis. */
const REDIS_DEADLINE_MS = 1000;
/** How soon a Redis that has lost the token gets it back from those who still use it. */
const SHARED_AGAIN_MS = 5000;

/**
 * Agrees on one token: resolves with the present one, or else makes the one offered the present one, unless
 * one was made in the last 20 minutes.
 *
 * KEYS: the token; the mark that one was made lately.
 * ARGV: the token offered; its life in ms; the life of the mark in ms; the present token that does not
 * count, because Apple refuses it or because it cannot be read.
 * Returns the token to use; the one that does not count when no other may be made; false when there is none
 * and none may be made.
 */
const AGREE = `
  local present = redis.call('GET', KEYS[1])
  if present and present ~= ARGV[4] then return present end
  if not redis.call('SET', KEYS[2], '1', 'PX', ARGV[3], 'NX') then return present end
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return ARGV[1]`;

/** Whose tokens they are. */
export interface SigningKey {
  /** PEM. */
  readonly key: string;
  readonly keyId: string;
  readonly teamId: string;
}

interface Token {
  readonly text: string;
  /** As Redis has it. */
  readonly sealed: string;
  /** UNIX milliseconds. */
  readonly issuedAt: number;
}

interface HeldToken extends Token {
  /** Until then it is used without asking Redis, in UNIX milliseconds. */
  readonly until: number;
}

/**
 * The provider token of one key, the same for all workers, because Apple refuses a team that changes its
 * token more often than every 20 minutes. Redis holds it, sealed with a key that follows from the signing
 * key: who reads Redis has nothing to send with.
 *
 * While Redis is away a process goes on with the token that it has, and one that has none makes its own, at
 * most one in 20 minutes.
 */
export class ProviderTokenStore implements ProviderTokenSource {
  readonly #spared = new SparedFailures(ProviderTokenStore.name);
  readonly #signingKey: KeyObject;
  readonly #sealingKey: Buffer;
  readonly #redisKeys: readonly [token: string, mark: string];
  #held: HeldToken | undefined;
  #obtaining: Promise<string> | undefined;
  #sharedAt = -Infinity;

  constructor(
    private readonly redis: Redis,
    private readonly team: SigningKey,
    private readonly clock: Clock,
  ) {
    this.#signingKey = createPrivateKey(team.key);
    const secret = this.#signingKey.export({ type: 'pkcs8', format: 'der' });
    this.#sealingKey = deriveKey(secret, 'provider tokens at rest');
    // A corrected key file under the same id must not meet the tokens of the wrong one.
    const slot = deriveKey(secret, 'name of provider tokens').toString('hex').slice(0, 12);
    const name = `push:provider-token:{${team.teamId}/${team.keyId}/${slot}}`;
    this.#redisKeys = [name, `${name}:minted`];
  }

  current(): string | Promise<string> {
    const held = this.#held;
    if (held === undefined || this.clock() >= held.until) return this.#obtainOnce();
    this.#shareAgain(held);
    return held.text;
  }

  refused(token: string): void {
    if (this.#held?.text === token) this.#held = { ...this.#held, until: -Infinity };
  }

  #obtainOnce(): Promise<string> {
    this.#obtaining ??= this.#obtain().finally(() => {
      this.#obtaining = undefined;
    });
    return this.#obtaining;
  }

  async #obtain(): Promise<string> {
    const refused = this.#held?.until === -Infinity ? this.#held.sealed : undefined;
    try {
      await untilReady(this.redis, REDIS_DEADLINE_MS);
      const present = await this.redis.get(this.#redisKeys[0]);
      const token = present === refused ? null : this.#opened(present);
      if (token !== null) return this.#hold(token);
      const agreed = await this.#agreeOn(await this.#mint(), present);
      const agreedToken = this.#opened(agreed);
      if (agreedToken !== null) return this.#hold(agreedToken);
    } catch (error) {
      this.#spared.note(error);
    }
    return this.#ownToken();
  }

  /** Without a word of Redis: the token at hand while it is the last that may be made, or else our own. */
  async #ownToken(): Promise<string> {
    const held = this.#held;
    const isLast = held !== undefined && !mayMint(held.issuedAt, this.clock());
    return this.#hold(isLast ? held : await this.#mint());
  }

  #hold({ text, sealed, issuedAt }: Token): string {
    this.#held = { text, sealed, issuedAt, until: askAgainAt(issuedAt, this.clock()) };
    return text;
  }

  /** Redis may have lost the token, and who starts then would make another. Costs the push no time. */
  #shareAgain(held: HeldToken): void {
    const now = this.clock();
    if (now - this.#sharedAt < SHARED_AGAIN_MS) return;
    this.#sharedAt = now;
    this.#agreeOn(held, null).catch((error: unknown) => this.#spared.note(error));
  }

  async #agreeOn(offered: Token, notCounting: string | null): Promise<string | null> {
    const now = this.clock();
    const agreed = await this.redis.eval(
      AGREE,
      2,
      ...this.#redisKeys,
      offered.sealed,
      lifeInRedisMs(offered.issuedAt, now),
      restOfPauseMs(offered.issuedAt, now),
      notCounting ?? '',
    );
    return typeof agreed === 'string' ? agreed : null;
  }

  async #mint(): Promise<Token> {
    const issuedAtSeconds = Math.floor(this.clock() / 1000);
    const text = await new SignJWT({})
      .setProtectedHeader({ alg: 'ES256', kid: this.team.keyId })
      .setIssuer(this.team.teamId)
      .setIssuedAt(issuedAtSeconds)
      .sign(this.#signingKey);
    const sealed = sealText(text, this.#sealingKey).toString('base64');
    return { text, sealed, issuedAt: issuedAtSeconds * 1000 };
  }

  /** What a sealed token says; null for what is none of this key's. */
  #opened(sealed: string | null): Token | null {
    if (sealed === null) return null;
    try {
      const text = openSealedText(Buffer.from(sealed, 'base64'), this.#sealingKey);
      return { text, sealed, issuedAt: (decodeJwt(text).iat ?? 0) * 1000 };
    } catch {
      return null;
    }
  }
}
