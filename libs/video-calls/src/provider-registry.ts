import { ApiError } from '#contracts';
import type { ProviderClient } from './provider-client.js';
import { providerTitles, type ProviderName } from './video-call-provider.js';

/** The providers of this server, by their names in paths. */
export class ProviderRegistry {
  constructor(private readonly clients: Readonly<Record<ProviderName, ProviderClient | null>>) {}

  /** Throws `invalidVideoCallProvider` for a name of none, `videoCallProviderNotConfigured` for one that is off. */
  find(name: string): ProviderClient {
    if (!isProviderName(name)) throw new ApiError('invalidVideoCallProvider');
    const client = this.clients[name];
    if (client !== null) return client;
    throw new ApiError('videoCallProviderNotConfigured', { provider: providerTitles[name] });
  }
}

const isProviderName = (name: string): name is ProviderName => Object.hasOwn(providerTitles, name);
