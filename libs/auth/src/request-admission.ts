import { Inject, Injectable } from '@nestjs/common';
import {
  type Access,
  type Admission,
  ApiError,
  type Applicant,
  type Caller,
  type LimitState,
  type OnCharged,
  refuseRole,
} from '#contracts';
import { networkOf } from '#core';
import { LocalCounter, RateLimits } from '#rate-limits';
import { subdomainOfHost } from '#realms';
import { type Credentials, parseBasicAuthorization } from './basic-authorization.rules.js';
import { SignIn } from './sign-in.js';

/** DI token of the address under which clients reach this server. */
export const EXTERNAL_URL = Symbol('ExternalUrl');

/**
 * How many keys that were never seen to work are looked up for an address beyond its limit. With none, a client
 * with a good key could not sign in for the first time from an address that somebody else misuses, for example
 * behind a shared proxy.
 */
const GUESSES_BEYOND_LIMIT = { seconds: 60, calls: 20 };

/**
 * Lets requests in by HTTP Basic. A signed-in request is charged to its account, any other to the
 * address that it came from, so that nobody can use up an account's calls without its key. Addresses are
 * counted by their network. Files are charged apart from calls.
 */
@Injectable()
export class RequestAdmission implements Admission {
  readonly #guesses = new LocalCounter(GUESSES_BEYOND_LIMIT);

  constructor(
    private readonly signIn: SignIn,
    private readonly limits: RateLimits,
    @Inject(EXTERNAL_URL) private readonly externalUrl: URL,
  ) {}

  async admit(
    applicant: Applicant,
    access: Access,
    onCharged: OnCharged,
    isFile = false,
  ): Promise<Caller | null> {
    const network = networkOf(applicant.address);
    if (access === 'anyone') {
      if (isFile) await this.#chargeFile(`address:${network}`, onCharged);
      else await this.limits.charge('address', network, onCharged);
      return null;
    }
    const caller = await this.#signIn(applicant, network, onCharged, isFile);
    if (isFile) await this.#chargeFile(`user:${caller.userId}`, onCharged);
    refuseRole(caller, access);
    return caller;
  }

  async #signIn(
    applicant: Applicant,
    network: string,
    onCharged: OnCharged,
    isFile: boolean,
  ): Promise<Caller> {
    let caller: Caller;
    let charge: Promise<void> | undefined;
    try {
      const credentials = parseBasicAuthorization(applicant.authorization);
      await this.#refuseGuess(credentials, network, onCharged);
      const subdomain = subdomainOfHost(applicant.host, this.externalUrl);
      const signedIn = this.signIn.execute(credentials, subdomain);
      if (!isFile) charge = this.#chargeAhead(credentials, onCharged);
      caller = await signedIn;
    } catch (error) {
      await charge?.catch(() => undefined);
      if (error instanceof ApiError && error.errorName !== 'rateLimited') {
        await this.limits.charge('address', network, onCharged);
      }
      throw error;
    }
    if (!isFile) {
      await (charge ?? this.limits.charge('user', String(caller.userId), onCharged));
    }
    return caller;
  }

  /** Keeps an address that is beyond its limit from costing a statement for each key that it makes up. */
  async #refuseGuess(
    credentials: Credentials,
    network: string,
    onCharged: OnCharged,
  ): Promise<void> {
    if (!this.signIn.isGuess(credentials)) return;
    if (!(await this.limits.isUsedUp('address', network))) return;
    if (this.#guesses.consume(network).consumedPoints <= GUESSES_BEYOND_LIMIT.calls) return;
    await this.limits.charge('address', network, onCharged);
    // The window ended in between. The key may be good, so the answer must not be 401.
    throw new ApiError('rateLimited', {}, { 'retry-after': 1 });
  }

  /** A file that may be read shows no limit: its answer has the headers of the file. */
  async #chargeFile(key: string, onCharged: OnCharged): Promise<void> {
    let state: LimitState | undefined;
    try {
      await this.limits.charge('file', key, (charged) => {
        state = charged;
      });
    } catch (error) {
      if (state !== undefined) onCharged(state);
      throw error;
    }
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
