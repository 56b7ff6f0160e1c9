import type { ProviderAnswer, PushTransport } from './push-transport.js';

/** Stands in for a provider without credentials: everything waits until there are some. */
export class UnconfiguredTransport implements PushTransport {
  send(): Promise<ProviderAnswer> {
    return Promise.resolve({ kind: 'misconfigured', reason: 'no credentials are configured' });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
