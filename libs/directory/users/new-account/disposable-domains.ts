import { Injectable } from '@nestjs/common';

/** The domains of disposable addresses; loaded on first use. */
@Injectable()
export class DisposableDomains {
  #domains: Promise<ReadonlySet<string>> | undefined;

  /** All domains, in lower case. */
  all(): Promise<ReadonlySet<string>> {
    this.#domains ??= readDomains();
    return this.#domains;
  }
}

async function readDomains(): Promise<ReadonlySet<string>> {
  const { disposableEmailBlocklistSet } = await import('disposable-email-domains-js');
  return disposableEmailBlocklistSet();
}
