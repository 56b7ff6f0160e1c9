import { hash } from 'node:crypto';
import { jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { ApnsTeam } from '../credentials/prepare-sandbox-credentials.js';
import type { ApnsReason } from './apns-answer.rules.js';
import { isProviderTokenExpired } from './apns-sign-in.rules.js';

/** Far more tokens than the workers of a load test use. */
const MAX_TOKENS = 100;

/** A valid provider token, in the form of the control API. */
export interface ProviderTokenRecord {
  /** The first 12 hexadecimal digits of the token's SHA-256; the token itself is a secret. */
  readonly fingerprint: string;
  /** UNIX seconds. */
  readonly issued_at: number;
  readonly first_seen_at: number;
}

/** Verifies provider tokens like Apple: signature, ids and age. */
export class ProviderTokens {
  /** The signature of a token is verified once, its age each time. */
  readonly #seen = new LRUCache<string, ProviderTokenRecord>({ max: MAX_TOKENS });

  constructor(private readonly team: ApnsTeam) {}

  /** The fault of a token; undefined for a valid one. */
  async faultOf(token: string, now: Date): Promise<ApnsReason | undefined> {
    const issuedAt = this.#seen.get(token)?.issued_at ?? (await this.#readIssuedAt(token));
    if (issuedAt === undefined) return 'InvalidProviderToken';
    if (!this.#seen.has(token)) this.#remember(token, issuedAt, now);
    return isProviderTokenExpired(issuedAt, now) ? 'ExpiredProviderToken' : undefined;
  }

  /** The valid tokens that were received, the newest first. */
  seen(): ProviderTokenRecord[] {
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
