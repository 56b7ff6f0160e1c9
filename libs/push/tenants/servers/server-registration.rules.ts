import { createHmac, timingSafeEqual } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { ApiError, normalizedHost } from '#platform/contracts';
import { tenantErrors } from '../tenants.errors.js';

const LONGEST_EMAIL = 254;
const LONGEST_LOCAL_PART = 64;
/** The end of a transfer has to follow its start within this time. */
const SECRET_LIFETIME_MS = 10_000;

const LABEL = '[a-z\\d\\u00a1-\\uffff](?:[a-z\\d\\u00a1-\\uffff-]{0,61}[a-z\\d\\u00a1-\\uffff])?';
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)+(?:[a-z\\u00a1-\\uffff-]{2,63}|xn--[a-z\\d-]{1,59})$`);
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{}|~-]+(?:\.[\w!#$%&'*+/=?^`{}|~-]+)*$/;

/** Whether a text in lower case is a name with a dot, or `localhost`. */
const isDomain = (text: string): boolean =>
  text === 'localhost' || (text.length <= 253 && DOMAIN.test(text) && !text.includes('-.'));

/**
 * The host of a server in lower case, with its port if it has one. Throws ApiError for any other text, and for one that a
 * client of HTTPS would write otherwise, such as full-width letters, a soft hyphen or the usual port: two servers could have
 * the same host.
 */
export function hostnameIn(text: string): string {
  if (/[/?#\\]/.test(text))
    throw new ApiError(tenantErrors.invalidHostnameParts, { hostname: text });
  const hostname = text.toLowerCase();
  const [, inBrackets, plain = ''] =
    /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::\d{1,5})?$/.exec(hostname) ?? [];
  const isHost =
    inBrackets === undefined
      ? isDomain(plain) || (isIPv4(plain) && /^\d/.test(plain))
      : isIPv6(inBrackets);
  // A label that is not valid Punycode has no address, nor has a port above 65,535.
  if (!isHost || normalizedHost(hostname) !== hostname) {
    throw new ApiError(tenantErrors.invalidHostname, { hostname: text });
  }
  return hostname;
}

/** The domain of a contact address. Throws ApiError for a text that is not an address, and for a domain of examples. */
export function contactDomainIn(email: string): string {
  const at = email.lastIndexOf('@');
  const local = email.slice(0, Math.max(at, 0));
  const domain = email.slice(at + 1).toLowerCase();
  const isAddress =
    email.length <= LONGEST_EMAIL &&
    local.length <= LONGEST_LOCAL_PART &&
    LOCAL_PART.test(local) &&
    isDomain(domain);
  if (!isAddress) throw contactError('Enter a valid email address.');
  if (domain === 'example.com') throw contactError('example.com is not a valid email domain.');
  return domain;
}

/** The error for a contact address. */
export const contactError = (reason: string): ApiError =>
  new ApiError(tenantErrors.invalidContactEmail, { reason }, { email_reason: reason });

const signatureOf = (key: Buffer, hostname: string, time: string): string =>
  createHmac('sha256', key).update(`${time} ${hostname}`).digest('hex').toUpperCase();

/** The secret that a host has to show to prove a transfer: a time and a signature in upper-case hexadecimal. */
export function makeHostSecret(key: Buffer, hostname: string, now: number): string {
  const host = Buffer.from(hostname).toString('hex').toUpperCase();
  const time = now.toString(16).toUpperCase().padStart(12, '0');
  return `${time}${signatureOf(key, hostname, time)}${host}`;
}

/** The fault of a secret that a host has shown; null without one. */
export function hostSecretFault(
  key: Buffer,
  hostname: string,
  secret: unknown,
  now: number,
): string | null {
  const parts =
    typeof secret === 'string'
      ? /^([\dA-F]{12})([\dA-F]{64})((?:[\dA-F]{2})+)$/.exec(secret)
      : null;
  if (parts === null) return 'The verification secret is malformed';
  const [, time = '', signature = '', host = ''] = parts;
  const signed = Buffer.from(host, 'hex').toString('utf8');
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(key, signed, time)))) {
    return 'The verification secret is invalid';
  }
  if (now - Number.parseInt(time, 16) > SECRET_LIFETIME_MS) {
    return 'The verification secret has expired';
  }
  return signed === hostname ? null : 'The verification secret is for a different hostname';
}
