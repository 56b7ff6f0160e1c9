import { ApiError } from '#platform/contracts';
import type { OutboundProxy } from '#platform/outbound';
import { ProviderClient } from './provider-client.js';
import {
  type ProviderName,
  providerNames,
  type ProviderOptions,
  providerTable,
  providerTitles,
  type VideoCallProvider,
} from './provider-table.rules.js';
import { videoCallErrors } from './video-calls.errors.js';

/** The clients of the configured providers. */
export class ProviderRegistry {
  readonly #clients: Readonly<Record<ProviderName, ProviderClient | null>>;

  /** `deadlineMs` is the timeout of one request to a provider; `proxy` is the way there, undefined for a direct one. */
  constructor(options: ProviderOptions, deadlineMs: number, proxy?: OutboundProxy) {
    const { webex, zoom } = providerTable(options);
    const clientOf = (provider: VideoCallProvider | null) =>
      provider && new ProviderClient(provider, deadlineMs, proxy);
    this.#clients = { webex: clientOf(webex), zoom: clientOf(zoom) };
  }

  /** The names of the configured providers. */
  get configured(): ProviderName[] {
    return providerNames.filter((name) => this.#clients[name] !== null);
  }

  /** Throws `invalidVideoCallProvider` for an unknown name, `videoCallProviderNotConfigured` for a disabled provider. */
  find(name: string): ProviderClient {
    if (!isProviderName(name)) throw new ApiError(videoCallErrors.invalidVideoCallProvider);
    const client = this.#clients[name];
    if (client !== null) return client;
    throw new ApiError(videoCallErrors.videoCallProviderNotConfigured, {
      provider: providerTitles[name],
    });
  }
}

const isProviderName = (name: string): name is ProviderName => Object.hasOwn(providerTitles, name);
