import { ApiError } from '#contracts';
import { API_KEY_PATTERN, hashApiKey } from './api-key.js';

/** What a request shows to sign in; the key itself goes no further than this. */
export interface Credentials {
  readonly email: string;
  readonly apiKeyHash: Buffer;
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Reads an `Authorization` header; throws the ApiError of each way in which it can be wrong, in the
 * order of the contract's part 5: no header, another scheme, a broken form, a key no key can look like.
 */
export function parseBasicAuthorization(header: string | undefined): Credentials {
  if (header === undefined) throw new ApiError('notLoggedIn');
  const [scheme = '', encoded = '', ...rest] = header.trim().split(/ +/);
  if (scheme.toLowerCase() !== 'basic') throw new ApiError('basicAuthRequired');
  if (rest.length > 0 || !BASE64.test(encoded)) throw new ApiError('invalidAuthorizationHeader');
  const parts = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  const [email, apiKey] = parts.map((part) => part.trim());
  if (parts.length !== 2 || email === undefined || apiKey === undefined) {
    throw new ApiError('invalidAuthorizationHeader');
  }
  if (!API_KEY_PATTERN.test(apiKey)) throw new ApiError('malformedApiKey');
  return { email, apiKeyHash: hashApiKey(apiKey) };
}
