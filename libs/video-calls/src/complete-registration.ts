import { Inject, Injectable, Logger } from '@nestjs/common';
import { ApiError } from '#contracts';
import { type Clock, CLOCK } from '#core';
import type { ProviderClient } from './provider-client.js';
import { ProviderFailure, ProviderRefusal } from './provider-errors.js';
import { ProviderRegistry } from './provider-registry.js';
import { type Grant, tokenOf } from './provider-token.rules.js';
import { codeVerifierOf, type Registration, verifyRegistration } from './registration-state.js';
import { RegistrationTerms } from './registration-terms.js';
import { VideoCallTokens } from './video-call-tokens.js';

/** What a browser comes back from a provider with; whatever else it carries does not count. */
export interface BrowserReturn {
  readonly state: string | undefined;
  /** Missing when the person did not agree. */
  readonly code: string | undefined;
}

/** Ends an account's registration at a provider: the token is kept, over the last one if there is one. */
@Injectable()
export class CompleteRegistration {
  private readonly logger = new Logger(CompleteRegistration.name);

  constructor(
    private readonly providers: ProviderRegistry,
    private readonly tokens: VideoCallTokens,
    private readonly terms: RegistrationTerms,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Throws `invalidVideoCallProvider`, `videoCallProviderNotConfigured`, `invalidVideoCallSession` for a
   * state that is not ours, too old or used before, and `invalidVideoCallCredentials` when the provider
   * gives no token for the code.
   */
  async execute(providerName: string, { state, code }: BrowserReturn): Promise<void> {
    const provider = this.providers.find(providerName);
    const registration = await this.#verify(provider, state ?? '');
    const refused = new ApiError('invalidVideoCallCredentials', { provider: provider.title });
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

  /** A page that is loaded again must not spend the code again: providers take back what they gave for it. */
  async #verify(provider: ProviderClient, state: string): Promise<Registration> {
    const terms = { key: this.terms.key, now: this.clock() };
    const registration = await verifyRegistration(state, provider.name, terms);
    if (registration === null) throw invalidSession(provider);
    const held = await this.tokens.find(registration);
    if (held?.token.registration === registration.id) throw invalidSession(provider);
    return registration;
  }

  async #exchange(
    provider: ProviderClient,
    registration: Registration,
    code: string,
  ): Promise<Grant | null> {
    try {
      return await provider.exchange({
        code,
        codeVerifier: codeVerifierOf(registration, this.terms.key),
        redirectUri: this.terms.redirectUri(provider.name),
      });
    } catch (error) {
      if (!(error instanceof ProviderRefusal || error instanceof ProviderFailure)) throw error;
      this.logger.warn(`A registration was not completed: ${error.message}`);
      return null;
    }
  }
}

const invalidSession = ({ title }: ProviderClient) =>
  new ApiError('invalidVideoCallSession', { provider: title });
