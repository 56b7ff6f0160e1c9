import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { API_KEY_SECRET, EXTERNAL_URL } from '#directory/auth';
import { ApiError, type Caller } from '#platform/contracts';
import { type Clock, deriveKey, systemClock } from '#platform/core';
import { type ProviderClient, ProviderFailure, ProviderRefusal } from './provider-client.js';
import { ProviderRegistry } from './provider-registry.js';
import { type Grant, tokenOf } from './provider-token.rules.js';
import {
  codeVerifierOf,
  newRegistration,
  type Registration,
  signRegistration,
  verifyRegistration,
} from './registration-state.js';
import { VideoCallTokens } from './video-call-tokens.js';
import { videoCallErrors } from './video-calls.errors.js';

/** The query parameters of the browser's return from a provider; other parameters are ignored. */
interface BrowserReturn {
  readonly state: string | undefined;
  /** Missing if the person did not consent. */
  readonly code: string | undefined;
}

/** Registers accounts at providers of video calls (OAuth 2 with PKCE). */
@Injectable()
export class RegistrationService {
  readonly #logger = new Logger(RegistrationService.name);
  /** Signs the registrations. */
  readonly #key: Buffer;

  constructor(
    private readonly providers: ProviderRegistry,
    private readonly tokens: VideoCallTokens,
    @Optional() private readonly clock: Clock = systemClock,
    @Inject(API_KEY_SECRET) secret: Buffer,
    @Inject(EXTERNAL_URL) private readonly externalUrl: URL,
  ) {
    this.#key = deriveKey(secret, 'video call registrations');
  }

  /**
   * Starts the registration of an account. Resolves with the address of the consent page, valid for ten minutes. The
   * redirect from that page calls `complete`. Throws `invalidVideoCallProvider` and `videoCallProviderNotConfigured`.
   */
  async start(caller: Caller, providerName: string): Promise<string> {
    const provider = this.providers.find(providerName);
    const registration = newRegistration(caller.userId, provider.name);
    const state = await signRegistration(registration, this.#key, this.clock());
    return provider.authorizationUrl(state, {
      codeVerifier: codeVerifierOf(registration, this.#key),
      redirectUri: this.#redirectUri(provider),
    });
  }

  /**
   * Completes the registration of an account: stores its token and replaces an earlier one. Throws
   * `invalidVideoCallProvider`, `videoCallProviderNotConfigured`, `invalidVideoCallSession` for a state that is
   * forged, expired or already used, and `invalidVideoCallCredentials` when the provider grants no token for the
   * code.
   */
  async complete(providerName: string, { state, code }: BrowserReturn): Promise<void> {
    const provider = this.providers.find(providerName);
    const registration = await this.#verify(provider, state ?? '');
    const refused = new ApiError(videoCallErrors.invalidVideoCallCredentials, {
      provider: provider.title,
    });
    if (code === undefined || code === '') throw refused;
    const grant = await this.#exchange(provider, registration, code);
    if (grant === null) throw refused;
    const token = tokenOf(
      grant,
      { refreshToken: null, registration: registration.id },
      this.clock(),
    );
    if (!(await this.tokens.store(registration, token))) throw invalidSession(provider);
  }

  /** Rejects a reloaded page: providers revoke the tokens of a code that is used twice. */
  async #verify(provider: ProviderClient, state: string): Promise<Registration> {
    const verification = { key: this.#key, now: this.clock() };
    const registration = await verifyRegistration(state, provider.name, verification);
    if (registration === null) throw invalidSession(provider);
    const held = await this.tokens.find(registration);
    if (held?.token.registration === registration.id) throw invalidSession(provider);
    return registration;
  }

  /** One address for all organisations, because providers require a list of the redirect addresses. */
  #redirectUri({ name }: ProviderClient): string {
    return new URL(`/calls/${name}/complete`, this.externalUrl).href;
  }

  async #exchange(
    provider: ProviderClient,
    registration: Registration,
    code: string,
  ): Promise<Grant | null> {
    try {
      return await provider.exchange({
        code,
        codeVerifier: codeVerifierOf(registration, this.#key),
        redirectUri: this.#redirectUri(provider),
      });
    } catch (error) {
      if (!(error instanceof ProviderRefusal || error instanceof ProviderFailure)) throw error;
      this.#logger.warn(`A registration was not completed: ${error.message}`);
      return null;
    }
  }
}

const invalidSession = ({ title }: ProviderClient) =>
  new ApiError(videoCallErrors.invalidVideoCallSession, { provider: title });
