import { lazily } from '#platform/core';

/** The domains of services for disposable addresses, in lower case; loaded on first use. */
export const disposableDomains = lazily(async (): Promise<ReadonlySet<string>> => {
  const { disposableEmailBlocklistSet } = await import('disposable-email-domains-js');
  return disposableEmailBlocklistSet();
});
