import { ApiError } from '#contracts';
import { API_KEY_PATTERN, digestOfApiKey } from './api-key.js';

/** What a request shows to sign in; the key itself goes no further than this. */
export interface Credentials {
  readonly email: string;
  /** In hexadecimal. */
  readonly apiKeyDigest: string;
}

const BASIC = /^basic(?: +|$)/i;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Reads an `Authorization` header; throws the ApiError of each way in which it can be wrong, in the
 * order of the contract's part 5: no header, another scheme, a broken form, a key no key can look like.
 */
export function parseBasicAuthorization(header: string | undefined): Credentials {
  if (header === undefined) throw new ApiError('notLoggedIn');
  const given = header.trim();
  const scheme = BASIC.exec(given)?.[0];
  if (scheme === undefined) throw new ApiError('basicAuthRequired');
  const encoded = given.slice(scheme.length);
  if (!BASE64.test(encoded)) throw new ApiError('invalidAuthorizationHeader');
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1 || text.includes(':', colon + 1)) {
    throw new ApiError('invalidAuthorizationHeader');
  }
  const apiKey = text.slice(colon + 1).trim();
  if (!API_KEY_PATTERN.test(apiKey)) throw new ApiError('malformedApiKey');
  return { email: text.slice(0, colon).trim(), apiKeyDigest: digestOfApiKey(apiKey) };
}
