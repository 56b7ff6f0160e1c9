import { isUtf8 } from 'node:buffer';
import { ApiError } from './errors/api-error.js';
import { signInErrors } from './errors/sign-in.errors.js';

const BASIC = /^basic(?: +|$)/i;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * The name and the secret in an `Authorization` header of HTTP Basic; neither contains a colon. Throws an ApiError, in this
 * order, for another scheme and for malformed credentials.
 */
export function splitBasicAuthorization(header: string): readonly [name: string, secret: string] {
  const given = header.trim();
  const scheme = BASIC.exec(given)?.[0];
  if (scheme === undefined) throw new ApiError(signInErrors.basicAuthRequired);
  const encoded = given.slice(scheme.length);
  if (!BASE64.test(encoded)) throw new ApiError(signInErrors.invalidAuthorizationHeader);
  const decoded = Buffer.from(encoded, 'base64');
  if (!isUtf8(decoded)) throw new ApiError(signInErrors.invalidAuthorizationHeader);
  const [name, secret, ...more] = decoded.toString('utf8').split(':');
  if (name === undefined || secret === undefined || more.length > 0) {
    throw new ApiError(signInErrors.invalidAuthorizationHeader);
  }
  return [name, secret];
}
