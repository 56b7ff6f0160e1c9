import { ApiError, signInErrors, splitBasicAuthorization } from '#platform/contracts';
import { API_KEY_PATTERN, digestOfApiKey } from './api-key.js';

/** The credentials of a request. The key itself is not kept. */
export interface Credentials {
  readonly email: string;
  /** SHA-256, in hexadecimal. */
  readonly apiKeyDigest: string;
}

/**
 * Parses an `Authorization` header. Throws an ApiError, in this order, for another scheme, malformed credentials and a
 * malformed key.
 */
export function parseBasicAuthorization(header: string): Credentials {
  const [email, secret] = splitBasicAuthorization(header);
  const apiKey = secret.trim();
  if (!API_KEY_PATTERN.test(apiKey)) throw new ApiError(signInErrors.malformedApiKey);
  return { email: email.trim(), apiKeyDigest: digestOfApiKey(apiKey) };
}
