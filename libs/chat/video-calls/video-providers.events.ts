import { Injectable } from '@nestjs/common';
import { type CapabilityEvents, DeclaresEvents } from '#events/declarations';
import { ProviderRegistry } from './provider-registry.js';
import { offeredProviders } from './offered-providers.rules.js';

/** The providers of video calls in `POST /register`. They change only with the configuration of the server. */
@Injectable()
@DeclaresEvents()
export class VideoProvidersEvents implements CapabilityEvents {
  readonly types = [];
  readonly fetchTypes = ['realm'];

  constructor(private readonly providers: ProviderRegistry) {}

  readState() {
    const { available, chosenId } = offeredProviders(this.providers.configured);
    return Promise.resolve({
      realm_available_video_chat_providers: available,
      realm_video_chat_provider: chosenId,
    });
  }
}
