import { jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { ApnsTeam } from '../credentials/prepare-sandbox-credentials.js';
import type { ApnsReason } from './apns-answer.rules.js';
import { isProviderTokenExpired } from './provider-token.rules.js';

/** Far more tokens than the workers of a load run use at a time. */
const mostRememberedTokens = 100;

/** Checks provider tokens as Apple does: the team's signature, its ids, and their age. */
export class ProviderTokens {
  /** `iat` by token: a signature is checked once, an age each time. */
  readonly #issuedAt = new LRUCache<string, number>({ max: mostRememberedTokens });

  constructor(private readonly team: ApnsTeam) {}

  /** What is wrong with the token; undefined when it is valid. */
  async faultOf(token: string, now: Date): Promise<ApnsReason | undefined> {
    const issuedAt = this.#issuedAt.get(token) ?? (await this.#readIssuedAt(token));
    if (issuedAt === undefined) return 'InvalidProviderToken';
    this.#issuedAt.set(token, issuedAt);
    return isProviderTokenExpired(issuedAt, now) ? 'ExpiredProviderToken' : undefined;
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
