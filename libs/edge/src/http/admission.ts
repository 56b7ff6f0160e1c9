import type { Caller, LimitState } from '#contracts';
import type { Access } from '../endpoint.js';

/** Who asks: what of a request decides whether it is let in. */
export interface Applicant {
  readonly authorization: string | undefined;
  readonly host: string;
  /** The address of the client, as far as the proxies in front are trusted. */
  readonly address: string;
}

/**
 * Decides on a request before its parameters are looked at: sign-in, then rate limit, then role.
 *
 * `onCharged` is called when a limit was applied, before anything is thrown, so that the answer can
 * show it. Resolves with the account, or null where none is asked for; rejects with ApiError.
 */
export interface Admission {
  admit(
    applicant: Applicant,
    access: Access,
    onCharged: (state: LimitState) => void,
  ): Promise<Caller | null>;
}

/** DI token of the Admission that the program chose. */
export const ADMISSION = Symbol('Admission');
