import type { Caller } from './caller.js';
import { ApiError } from './errors/api-error.js';
import type { LimitState } from './limit-state.js';
import { isAdministrator, roles } from './roles.js';

/** Who may call an endpoint. */
export type Access = 'anyone' | 'user' | 'member' | 'administrator';

/** Who asks: what of a request decides whether it is let in. */
export interface Applicant {
  readonly authorization: string | undefined;
  readonly host: string;
  /** The address of the client, as far as the proxies in front are trusted. */
  readonly address: string;
}

/** Hears how the limit stands that a request was charged to. */
export type OnCharged = (state: LimitState) => void;

/**
 * Decides on a request before its parameters are looked at: sign-in, then rate limit, then role.
 *
 * `onCharged` is called when a limit was applied, before anything is thrown, so that the answer can
 * show it. Reading a file (`isFile`) has a limit of its own, which is shown only when it is exceeded. Resolves
 * with the account, or null where none is asked for; rejects with ApiError.
 */
export interface Admission {
  admit(
    applicant: Applicant,
    access: Access,
    onCharged: OnCharged,
    isFile?: boolean,
  ): Promise<Caller | null>;
}

/** DI token of the Admission that the program chose. */
export const ADMISSION = Symbol('Admission');

/** Throws the ApiError of an account whose role may not call an endpoint of this access. */
export function refuseRole(caller: Caller, access: Access): void {
  if (access === 'administrator' && !isAdministrator(caller.role)) {
    throw new ApiError('mustBeAdministrator');
  }
  if (access === 'member' && caller.role >= roles.guest) throw new ApiError('notAllowedForGuests');
}
