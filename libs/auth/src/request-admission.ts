import { Inject, Injectable } from '@nestjs/common';
import {
  type Access,
  type Admission,
  ApiError,
  type Applicant,
  type Caller,
  isAdministrator,
  type OnCharged,
  roles,
} from '#contracts';
import { RateLimits } from '#rate-limits';
import { subdomainOfHost } from '#realms';
import { type Credentials, parseBasicAuthorization } from './basic-authorization.rules.js';
import { SignIn } from './sign-in.js';

/** DI token of the address under which clients reach this server. */
export const EXTERNAL_URL = Symbol('ExternalUrl');

/**
 * Lets requests in by HTTP Basic. A signed-in request is charged to its account, any other to the
 * address that it came from, so that nobody can use up an account's calls without its key.
 */
@Injectable()
export class RequestAdmission implements Admission {
  constructor(
    private readonly signIn: SignIn,
    private readonly limits: RateLimits,
    @Inject(EXTERNAL_URL) private readonly externalUrl: URL,
  ) {}

  async admit(
    applicant: Applicant,
    access: Access,
    onCharged: OnCharged,
    isFree = false,
  ): Promise<Caller | null> {
    if (access === 'anyone') {
      if (!isFree) await this.limits.charge('address', applicant.address, onCharged);
      return null;
    }
    const caller = await this.#signIn(applicant, onCharged, isFree);
    refuseRole(caller, access);
    return caller;
  }

  async #signIn(applicant: Applicant, onCharged: OnCharged, isFree: boolean): Promise<Caller> {
    let caller: Caller;
    let charge: Promise<void> | undefined;
    try {
      const credentials = parseBasicAuthorization(applicant.authorization);
      const subdomain = subdomainOfHost(applicant.host, this.externalUrl);
      const signedIn = this.signIn.execute(credentials, subdomain);
      if (!isFree) charge = this.#chargeAhead(credentials, onCharged);
      caller = await signedIn;
    } catch (error) {
      await charge?.catch(() => undefined);
      if (error instanceof ApiError) {
        await this.limits.charge('address', applicant.address, onCharged);
      }
      throw error;
    }
    if (!isFree) {
      await (charge ?? this.limits.charge('user', String(caller.userId), onCharged));
    }
    return caller;
  }

  /** A known key is charged while its sign-in is checked, so that both go to Redis in one round trip. */
  #chargeAhead(credentials: Credentials, onCharged: OnCharged): Promise<void> | undefined {
    const known = this.signIn.peek(credentials);
    if (known === undefined) return undefined;
    const charge = this.limits.charge('user', String(known.userId), onCharged);
    // Its refusal is looked at when the sign-in is through; until then it is not unhandled.
    charge.catch(() => undefined);
    return charge;
  }
}

function refuseRole(caller: Caller, access: Access): void {
  if (access === 'administrator' && !isAdministrator(caller.role)) {
    throw new ApiError('mustBeAdministrator');
  }
  if (access === 'member' && caller.role >= roles.guest) throw new ApiError('notAllowedForGuests');
}
