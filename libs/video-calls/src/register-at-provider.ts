import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '#contracts';
import { type Clock, CLOCK } from '#core';
import { ProviderRegistry } from './provider-registry.js';
import { codeVerifierOf, newRegistration, signRegistration } from './registration-state.js';
import { RegistrationTerms } from './registration-terms.js';

/** Begins an account's registration at a provider, which `CompleteRegistration` ends. */
@Injectable()
export class RegisterAtProvider {
  constructor(
    private readonly providers: ProviderRegistry,
    private readonly terms: RegistrationTerms,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Resolves with the address where the person agrees; it is good for ten minutes. Throws
   * `invalidVideoCallProvider` and `videoCallProviderNotConfigured`.
   */
  async execute(caller: Caller, providerName: string): Promise<string> {
    const provider = this.providers.find(providerName);
    const registration = newRegistration(caller.userId, provider.name);
    const state = await signRegistration(registration, this.terms.key, this.clock());
    return provider.authorizationUrl(state, {
      codeVerifier: codeVerifierOf(registration, this.terms.key),
      redirectUri: this.terms.redirectUri(provider.name),
    });
  }
}
