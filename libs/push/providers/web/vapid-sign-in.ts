import { SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { atMost, type Clock } from '#platform/core';
import type { VapidKey } from './vapid-key.js';

/** Services take at most a day (RFC 8292, 2); half of it allows for a clock that is wrong. */
const LIFETIME_MS = 12 * 3_600_000;
/** Apple asks for no new token more than once an hour. */
const USED_FOR_MS = 6 * 3_600_000;
/** Beyond this number of origins and keys the one that was not used for the longest time is signed again. */
const MAX_TOKENS = 10_000;

interface SignedToken {
  readonly token: Promise<string>;
  /** UNIX milliseconds. */
  readonly renewAt: number;
}

/** Signs this server in at push services: one token for each origin and key, used for six hours. */
export class VapidSignIn {
  readonly #tokens = new LRUCache<string, SignedToken>(atMost(MAX_TOKENS));

  constructor(
    /** Whom the operators of a push service write to: `mailto:…` or `https://…`. */
    private readonly contact: string,
    private readonly clock: Clock,
  ) {}

  /** The header `Authorization` for requests to this origin, which is written as a browser does. */
  async authorizationFor(origin: string, key: VapidKey): Promise<string> {
    const now = this.clock();
    const name = `${key.id} ${origin}`;
    let signed = this.#tokens.get(name);
    if (signed === undefined || now >= signed.renewAt) {
      signed = { token: this.#sign(origin, key, now), renewAt: now + USED_FOR_MS };
      this.#tokens.set(name, signed);
      signed.token.catch(() => this.#tokens.delete(name));
    }
    return `vapid t=${await signed.token}, k=${key.publicKey}`;
  }

  #sign(origin: string, { privateKey }: VapidKey, now: number): Promise<string> {
    return new SignJWT()
      .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
      .setAudience(origin)
      .setExpirationTime(Math.floor((now + LIFETIME_MS) / 1000))
      .setSubject(this.contact)
      .sign(privateKey);
  }
}
