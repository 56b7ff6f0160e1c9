import { hash } from 'node:crypto';
import { jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { ApnsTeam } from '../credentials/prepare-sandbox-credentials.js';
import type { ApnsReason } from './apns-answer.rules.js';
import { isProviderTokenExpired } from './provider-token.rules.js';

/** Far more tokens than the workers of a load run use at a time. */
const mostRememberedTokens = 100;

/** A provider token that was signed as it should be, in the form of the control API. */
export interface SeenProviderToken {
  /** The first 12 hexadecimal digits of the token's SHA-256: the token itself would let anybody send. */
  readonly fingerprint: string;
  /** UNIX seconds. */
  readonly issued_at: number;
  readonly first_seen_at: number;
}

/** Checks provider tokens as Apple does: the team's signature, its ids, and their age. */
export class ProviderTokens {
  /** A signature is checked once, an age each time. */
  readonly #seen = new LRUCache<string, SeenProviderToken>({ max: mostRememberedTokens });

  constructor(private readonly team: ApnsTeam) {}

  /** What is wrong with the token; undefined when it is valid. */
  async faultOf(token: string, now: Date): Promise<ApnsReason | undefined> {
    const issuedAt = this.#seen.get(token)?.issued_at ?? (await this.#readIssuedAt(token));
    if (issuedAt === undefined) return 'InvalidProviderToken';
    if (!this.#seen.has(token)) this.#remember(token, issuedAt, now);
    return isProviderTokenExpired(issuedAt, now) ? 'ExpiredProviderToken' : undefined;
  }

  /** The tokens that came, those of failed signatures left out, the one that came first at the end. */
  seen(): SeenProviderToken[] {
    return [...this.#seen.values()].toSorted(
      (one, other) => other.first_seen_at - one.first_seen_at,
    );
  }

  #remember(token: string, issuedAt: number, now: Date): void {
    this.#seen.set(token, {
      fingerprint: hash('sha256', token).slice(0, 12),
      issued_at: issuedAt,
      first_seen_at: now.getTime() / 1000,
    });
  }

  /** The `iat` of a token of the team; undefined for any other token. */
  async #readIssuedAt(token: string): Promise<number | undefined> {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, this.team.publicKey, {
        algorithms: ['ES256'],
        issuer: this.team.teamId,
        requiredClaims: ['iat'],
      });
      return protectedHeader.kid === this.team.keyId ? payload.iat : undefined;
    } catch {
      return undefined;
    }
  }
}
