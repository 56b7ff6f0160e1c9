import { Inject, Injectable } from '@nestjs/common';
import { subdomainOfHost } from '#directory/realms';
import {
  type Access,
  type Authenticator,
  ApiError,
  type AuthRequest,
  type Caller,
  type Charge,
  type Charged,
  type LimitState,
  type OnCharged,
  type PresumedCaller,
  refuseRole,
  type RepeatedAuthRequest,
  requestErrors,
} from '#platform/contracts';
import { networkOf } from '#platform/core';
import { LocalCounter, RateLimits } from '#platform/rate-limits';
import { ApiKeyVerifier } from './api-key-verifier.js';
import { type Credentials, parseBasicAuthorization } from './basic-authorization.rules.js';
import { RepeatedAuthorization } from './repeated-authorization.js';

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
  readonly #repeated = new RepeatedAuthorization();

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
      else await this.limits.charge('address', network, onCharged);
      return null;
    }
    const caller = await this.#signIn(authRequest, network, onCharged, charge);
    if (charge === 'file') await this.#chargeFile(`user:${caller.userId}`, onCharged);
    refuseRole(caller, access);
    return caller;
  }

  presume({ authorization, host, connection }: RepeatedAuthRequest): PresumedCaller | null {
    let credentials: Credentials;
    try {
      credentials = this.#repeated.credentialsOf(connection, authorization);
    } catch {
      return null;
    }
    return this.verifier.presume(credentials, subdomainOfHost(host, this.externalUrl));
  }

  admit({ caller, proof }: PresumedCaller): Promise<Charged | null> {
    return this.limits.chargeProven(caller.userId, proof);
  }

  async #signIn(
    authRequest: AuthRequest,
    network: string,
    onCharged: OnCharged,
    charged: Charge,
  ): Promise<Caller> {
    let caller: Caller;
    let charge: Promise<void> | undefined;
    try {
      const credentials = parseBasicAuthorization(authRequest.authorization);
      await this.#rejectGuess(credentials, network, onCharged);
      const subdomain = subdomainOfHost(authRequest.host, this.externalUrl);
      const signedIn = this.verifier.verify(credentials, subdomain);
      if (charged === 'request') charge = this.#chargeAhead(credentials, onCharged);
      caller = await signedIn;
    } catch (error) {
      await charge?.catch(() => undefined);
      if (error instanceof ApiError && error.error !== requestErrors.rateLimited) {
        await this.limits.charge('address', network, onCharged);
      }
      throw error;
    }
    if (charged === 'request') {
      await (charge ?? this.limits.charge('user', String(caller.userId), onCharged));
    }
    return caller;
  }

  /** Rejects unverified keys from an address beyond its limit, since each would cost a statement. */
  async #rejectGuess(
    credentials: Credentials,
    network: string,
    onCharged: OnCharged,
  ): Promise<void> {
    if (!this.verifier.isGuess(credentials)) return;
    if (!(await this.limits.isUsedUp('address', network))) return;
    if (this.#guesses.consume(network).consumedPoints <= GUESSES_BEYOND_LIMIT.calls) return;
    await this.limits.charge('address', network, onCharged);
    // The window of the limit has just ended. The key may be valid, so the answer must not be 401.
    throw new ApiError(requestErrors.rateLimited, {}, { 'retry-after': 1 });
  }

  /** A successful answer with a file carries no limit headers; a rejection does. */
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

  /** Charges a known key during its verification, so that both commands share one round trip to Redis. */
  #chargeAhead(credentials: Credentials, onCharged: OnCharged): Promise<void> | undefined {
    const known = this.verifier.peek(credentials);
    if (known === undefined) return undefined;
    const charge = this.limits.charge('user', String(known.userId), onCharged);
    // `#signIn` awaits the charge later; this handler prevents an unhandled rejection until then.
    charge.catch(() => undefined);
    return charge;
  }
}
