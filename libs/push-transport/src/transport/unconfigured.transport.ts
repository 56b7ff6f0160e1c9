import type { ProviderAnswer, PushTransport } from './push-transport.js';

/** What gates know pushes by for which there is no credential. */
export const NO_CREDENTIAL = 'no credential';

/** Stands in for a provider without credentials: everything waits until there are some. */
export class UnconfiguredTransport implements PushTransport {
  send(): Promise<ProviderAnswer> {
    return Promise.resolve({ kind: 'misconfigured', reason: 'no credentials are configured' });
  }

  credentialOf(): string {
    return NO_CREDENTIAL;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
