import type { EmailDomain } from '#directory/realms';
import { ApiError } from '#platform/contracts';
import { z } from 'zod';
import { userErrors } from '../users.errors.js';

/** The limits of SMTP, in characters. */
const LONGEST_ADDRESS = 254;
const LONGEST_LOCAL_PART = 64;

/** The requirements of an organisation for the addresses of its accounts. */
export interface EmailPolicy {
  /** The allowed domains; an empty list allows all. */
  readonly domains: readonly EmailDomain[];
  readonly refusesDisposable: boolean;
}

const address = z.email({ pattern: z.regexes.html5Email }).max(LONGEST_ADDRESS);
/** Dots that the HTML pattern accepts and SMTP rejects. */
const STRAY_DOT = /^\.|\.\.|\.@/;

/**
 * Trims an address. Throws `invalidEmailAddress` for an invalid address; the domain must contain a dot.
 */
export function normalizeEmailAddress(given: string): string {
  const email = given.trim();
  const at = email.lastIndexOf('@');
  const isValid =
    at <= LONGEST_LOCAL_PART &&
    email.includes('.', at) &&
    address.safeParse(email).success &&
    !STRAY_DOT.test(email);
  if (!isValid) throw new ApiError(userErrors.invalidEmailAddress);
  return email;
}

/**
 * Throws ApiError for an address that the organisation does not allow. An organisation with domains allows only those,
 * without `+`, so that a person has one address. An organisation without domains may reject disposable addresses.
 */
export function rejectForbiddenEmail(
  email: string,
  { domains, refusesDisposable }: EmailPolicy,
  isDisposable: (domain: string) => boolean,
): void {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1).toLowerCase();
  if (domains.length > 0) {
    if (!domains.some((allowed) => matches(domain, allowed))) {
      throw new ApiError(userErrors.emailDomainNotAllowed, { email });
    }
    if (email.slice(0, at).includes('+')) throw new ApiError(userErrors.emailWithPlus);
  } else if (refusesDisposable && withParents(domain).some(isDisposable)) {
    throw new ApiError(userErrors.disposableEmail);
  }
}

const matches = (domain: string, allowed: EmailDomain): boolean =>
  domain === allowed.domain || (allowed.allowsSubdomains && domain.endsWith(`.${allowed.domain}`));

/** The domain and its parent domains, because a disposable domain can have subdomains. */
const withParents = (domain: string): string[] => {
  const labels = domain.split('.');
  return labels.map((_, place) => labels.slice(place).join('.'));
};
