import { Inject, Injectable } from '@nestjs/common';
import { API_KEY_SECRET, EXTERNAL_URL } from '#auth';
import { deriveKey } from '#core';
import type { ProviderName } from './video-call-provider.js';

/** What the beginning and the end of a registration have to agree on. */
@Injectable()
export class RegistrationTerms {
  /** Signs the registrations. */
  readonly key: Buffer;

  constructor(
    @Inject(API_KEY_SECRET) secret: Buffer,
    @Inject(EXTERNAL_URL) private readonly externalUrl: URL,
  ) {
    this.key = deriveKey(secret, 'video call registrations');
  }

  /** Where a provider sends the browser back to; one address for all organisations, since providers ask for a list. */
  redirectUri(provider: ProviderName): string {
    return new URL(`/calls/${provider}/complete`, this.externalUrl).href;
  }
}
