import { Injectable } from '@nestjs/common';

/** The domains of services that give out throwaway addresses; read when first asked for. */
@Injectable()
export class DisposableDomains {
  #known: Promise<ReadonlySet<string>> | undefined;

  /** All of them, in lower case. */
  all(): Promise<ReadonlySet<string>> {
    this.#known ??= readDomains();
    return this.#known;
  }
}

async function readDomains(): Promise<ReadonlySet<string>> {
  const { disposableEmailBlocklistSet } = await import('disposable-email-domains-js');
  return disposableEmailBlocklistSet();
}
