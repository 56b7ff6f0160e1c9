import { ApiError, signInErrors } from '#platform/contracts';
import { API_KEY_PATTERN, digestOfApiKey } from './api-key.js';

/** The credentials of a request. The key itself is not kept. */
export interface Credentials {
  readonly email: string;
  /** SHA-256, in hexadecimal. */
  readonly apiKeyDigest: string;
}

const BASIC = /^basic(?: +|$)/i;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Parses an `Authorization` header. Throws an ApiError, in this order, for another scheme, malformed credentials and a
 * malformed key.
 */
export function parseBasicAuthorization(header: string): Credentials {
  const given = header.trim();
  const scheme = BASIC.exec(given)?.[0];
  if (scheme === undefined) throw new ApiError(signInErrors.basicAuthRequired);
  const encoded = given.slice(scheme.length);
  if (!BASE64.test(encoded)) throw new ApiError(signInErrors.invalidAuthorizationHeader);
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1 || text.includes(':', colon + 1)) {
    throw new ApiError(signInErrors.invalidAuthorizationHeader);
  }
  const apiKey = text.slice(colon + 1).trim();
  if (!API_KEY_PATTERN.test(apiKey)) throw new ApiError(signInErrors.malformedApiKey);
  return { email: text.slice(0, colon).trim(), apiKeyDigest: digestOfApiKey(apiKey) };
}
