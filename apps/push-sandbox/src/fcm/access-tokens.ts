import { randomUUID } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { ServiceAccount } from '../credentials/prepare-sandbox-credentials.js';

const LIFETIME_SECONDS = 3600;
const MAX_TOKENS = 1000;
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** Google's token endpoint; client libraries that ignore `token_uri` sign for it. */
const GOOGLE_AUDIENCE = 'https://oauth2.googleapis.com/token';
const sufficientScopes = new Set([
  'https://www.googleapis.com/auth/firebase.messaging',
  'https://www.googleapis.com/auth/cloud-platform',
]);

/** An answer of the token endpoint (RFC 6749, section 5). */
interface TokenAnswer {
  readonly status: 200 | 400;
  readonly body: Readonly<Record<string, string | number>>;
}

const claims = z.object({ iss: z.string(), scope: z.string() });

/** Issues access tokens to the service account (RFC 7523) and verifies them. */
export class AccessTokens {
  /** The expiry of a token in UNIX milliseconds; its signature is verified once. */
  readonly #expiresAt = new LRUCache<string, number>({ max: MAX_TOKENS });

  constructor(private readonly account: ServiceAccount) {}

  /** Answers a request to the token endpoint; `form` is its form-encoded body. */
  async issue(form: URLSearchParams): Promise<TokenAnswer> {
    const given = form.get('grant_type');
    if (given !== GRANT_TYPE) {
      return refusal('unsupported_grant_type', `Invalid grant_type: ${given ?? ''}`);
    }
    const assertion = form.get('assertion');
    if (assertion === null) {
      return refusal('invalid_request', 'Missing required parameter: assertion');
    }
    const fault = await this.#faultOfAssertion(assertion);
    if (fault !== undefined) return fault;
    const body = {
      access_token: await this.#makeToken(),
      expires_in: LIFETIME_SECONDS - 1,
      token_type: 'Bearer',
    };
    return { status: 200, body };
  }

  /** Whether a bearer token was issued here and has not expired. */
  async isValid(token: string, now: Date): Promise<boolean> {
    const expiresAt = this.#expiresAt.get(token) ?? (await this.#readExpiry(token));
    if (expiresAt === undefined) return false;
    this.#expiresAt.set(token, expiresAt);
    return now.getTime() < expiresAt;
  }

  async #faultOfAssertion(assertion: string): Promise<TokenAnswer | undefined> {
    try {
      const { payload } = await jwtVerify(assertion, this.account.publicKey, {
        algorithms: ['RS256'],
        audience: [this.account.tokenUri, GOOGLE_AUDIENCE],
        maxTokenAge: LIFETIME_SECONDS,
        requiredClaims: ['exp', 'iat'],
      });
      const { iss, scope } = claims.parse(payload);
      if (iss !== this.account.clientEmail) {
        return refusal('invalid_grant', 'Invalid grant: account not found');
      }
      const isEnough = scope.split(' ').some((one) => sufficientScopes.has(one));
      return isEnough
        ? undefined
        : refusal('invalid_scope', 'Invalid OAuth scope or ID token audience provided.');
    } catch (error) {
      return refusalOf(error);
    }
  }

  async #makeToken(): Promise<string> {
    const jwt = await new SignJWT()
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt()
      .setJti(randomUUID())
      .setExpirationTime(`${LIFETIME_SECONDS}s`)
      .sign(this.account.accessTokenSecret);
    return `ya29.${jwt}`;
  }

  /** The expiry of a token that was issued here; undefined for any other. */
  async #readExpiry(token: string): Promise<number | undefined> {
    try {
      const jwt = token.replace(/^ya29\./, '');
      const { payload } = await jwtVerify(jwt, this.account.accessTokenSecret, {
        algorithms: ['HS256'],
      });
      return (payload.exp ?? 0) * 1000;
    } catch {
      return undefined;
    }
  }
}

function refusal(error: string, description: string): TokenAnswer {
  return { status: 400, body: { error, error_description: description } };
}

function refusalOf(error: unknown): TokenAnswer {
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return refusal('invalid_grant', 'Invalid JWT Signature.');
  }
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud') {
    return refusal(
      'invalid_grant',
      `Failed audience check. The right audience is ${GOOGLE_AUDIENCE}`,
    );
  }
  if (error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed) {
    return refusal(
      'invalid_grant',
      'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
    );
  }
  return refusal('invalid_grant', 'Invalid JWT.');
}
