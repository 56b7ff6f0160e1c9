import { ApiError } from '#contracts';
import { z } from 'zod';

/** In characters, as SMTP has it. */
const LONGEST_ADDRESS = 254;
const LONGEST_LOCAL_PART = 64;

/** A domain of an organisation's own. */
export interface EmailDomain {
  /** In lower case. */
  readonly domain: string;
  readonly allowsSubdomains: boolean;
}

/** What an organisation demands of the addresses of its accounts. */
export interface EmailPolicy {
  /** The domains that they may have; none takes all. */
  readonly domains: readonly EmailDomain[];
  readonly refusesDisposable: boolean;
}

const address = z.email({ pattern: z.regexes.html5Email }).max(LONGEST_ADDRESS);
/** Browsers let pass a dot that joins nothing, mail does not. */
const STRAY_DOT = /^\.|\.\.|\.@/;

/**
 * An address without the space around it. Throws `invalidEmailAddress` for what cannot receive mail; its
 * domain must have a dot.
 */
export function normalizeEmailAddress(given: string): string {
  const email = given.trim();
  const at = email.lastIndexOf('@');
  const isOne =
    at <= LONGEST_LOCAL_PART &&
    email.includes('.', at) &&
    address.safeParse(email).success &&
    !STRAY_DOT.test(email);
  if (!isOne) throw new ApiError('invalidEmailAddress');
  return email;
}

/**
 * Throws ApiError for an address that the organisation does not take. One that has named its domains
 * takes those alone, and of each person one address: nothing may follow a `+`. One that has not may
 * refuse domains that `isDisposable` knows.
 */
export function refuseForeignEmail(
  email: string,
  { domains, refusesDisposable }: EmailPolicy,
  isDisposable: (domain: string) => boolean,
): void {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1).toLowerCase();
  if (domains.length > 0) {
    if (!domains.some((own) => isOf(domain, own))) {
      throw new ApiError('emailDomainNotAllowed', { email });
    }
    if (email.slice(0, at).includes('+')) throw new ApiError('emailWithPlus');
  } else if (refusesDisposable && domainsAbove(domain).some(isDisposable)) {
    throw new ApiError('disposableEmail');
  }
}

const isOf = (domain: string, own: EmailDomain): boolean =>
  domain === own.domain || (own.allowsSubdomains && domain.endsWith(`.${own.domain}`));

/** The domain itself and those it lies in: whoever gives away a domain gives away those below it too. */
const domainsAbove = (domain: string): string[] => {
  const labels = domain.split('.');
  return labels.map((_, place) => labels.slice(place).join('.'));
};
