import { Inject, Injectable } from '@nestjs/common';
import { subdomainOfHost } from '#directory/realms';
import {
  type Access,
  type Authenticator,
  ApiError,
  type AuthRequest,
  type Caller,
  type Charge,
  type LimitState,
  type OnCharged,
  refuseUnmet,
  requestErrors,
  signInErrors,
} from '#platform/contracts';
import { networkOf } from '#platform/core';
import { LocalCounter, RateLimits } from '#platform/rate-limits';
import { ApiKeyVerifier } from './api-key-verifier.js';
import { type Credentials, parseBasicAuthorization } from './basic-authorization.rules.js';

/** DI token of the URL under which clients reach this server. */
export const EXTERNAL_URL = Symbol('ExternalUrl');

/**
 * The allowed look-ups of unverified keys for an address beyond its limit. Without them, a client with a valid key could
 * not sign in for the first time from an address that another client misuses, for example behind a shared proxy.
 */
const GUESSES_BEYOND_LIMIT = { seconds: 60, calls: 20 };

/**
 * Authenticates requests by HTTP Basic. A signed-in request counts against the limit of its account, any other against
 * the limit of its network, so that the limit of an account cannot be exhausted without its key. Requests for files, and
 * those of endpoints that charge themselves, have their own limits.
 */
@Injectable()
export class RequestAuthenticator implements Authenticator {
  readonly #guesses = new LocalCounter(GUESSES_BEYOND_LIMIT);

  constructor(
    private readonly verifier: ApiKeyVerifier,
    private readonly limits: RateLimits,
    @Inject(EXTERNAL_URL) private readonly externalUrl: URL,
  ) {}

  async authenticate(
    authRequest: AuthRequest,
    access: Access,
    onCharged: OnCharged,
    charge: Charge = 'request',
  ): Promise<Caller | null> {
    const network = networkOf(authRequest.address);
    if (access === 'anyone') {
      if (charge === 'file') await this.#chargeFile(`address:${network}`, onCharged);
      else await this.limits.charge('address', network, { onCharged });
      return null;
    }
    const caller = await this.#signIn(authRequest, network, onCharged, charge);
    if (charge === 'file') await this.#chargeFile(`user:${caller.userId}`, onCharged);
    refuseUnmet(caller, access);
    return caller;
  }

  known({ authorization, host }: Pick<AuthRequest, 'authorization' | 'host'>): Caller | null {
    if (authorization === undefined) return null;
    return this.verifier.known(authorization, subdomainOfHost(host, this.externalUrl));
  }

  charge({ userId }: Caller, onCharged: OnCharged, calls = 1): Promise<void> {
    return this.limits.charge('user', String(userId), { onCharged, calls });
  }

  async #signIn(
    authRequest: AuthRequest,
    network: string,
    onCharged: OnCharged,
    charge: Charge,
  ): Promise<Caller> {
    let caller: Caller;
    try {
      caller = this.known(authRequest) ?? (await this.#verify(authRequest, network, onCharged));
    } catch (error) {
      if (error instanceof ApiError && error.error !== requestErrors.rateLimited) {
        await this.limits.charge('address', network, { onCharged });
      }
      throw error;
    }
    if (charge === 'request') await this.charge(caller, onCharged);
    return caller;
  }

  async #verify(
    { authorization, host }: AuthRequest,
    network: string,
    onCharged: OnCharged,
  ): Promise<Caller> {
    if (authorization === undefined) throw new ApiError(signInErrors.notLoggedIn);
    const credentials = parseBasicAuthorization(authorization);
    await this.#rejectGuess(credentials, network, onCharged);
    const subdomain = subdomainOfHost(host, this.externalUrl);
    return this.verifier.verify(authorization, credentials, subdomain);
  }

  /** Rejects unverified keys from an address beyond its limit, since each would cost a statement. */
  async #rejectGuess(
    credentials: Credentials,
    network: string,
    onCharged: OnCharged,
  ): Promise<void> {
    if (!this.verifier.isGuess(credentials)) return;
    if (!(await this.limits.isExhausted('address', network))) return;
    if (this.#guesses.consume(network).consumedPoints <= GUESSES_BEYOND_LIMIT.calls) return;
    await this.limits.charge('address', network, { onCharged });
    // The window of the limit has just ended. The key may be valid, so the answer must not be 401.
    throw new ApiError(requestErrors.rateLimited, {}, { 'retry-after': 1 });
  }

  /** A successful answer with a file carries no limit headers; a rejection does. */
  async #chargeFile(key: string, onCharged: OnCharged): Promise<void> {
    let state: LimitState | undefined;
    try {
      await this.limits.charge('file', key, {
        onCharged: (charged) => {
          state = charged;
        },
      });
    } catch (error) {
      if (state !== undefined) onCharged(state);
      throw error;
    }
  }
}
