import { Logger } from '@nestjs/common';
import { errorText } from '#platform/core';
import type { ProviderAnswer } from '../transport/provider-answer.rules.js';
import type { OutgoingPush, PushTransport } from '../transport/push-transport.js';

/** Replaced transports, until their last answer. */
export class RetiredTransports {
  readonly #logger = new Logger('Credentials');
  readonly #closing = new Set<Promise<void>>();

  /** Closes a transport after its last answer; does not wait for that. */
  retire(transport: PushTransport): void {
    const closing = transport
      .close()
      .catch((error: unknown) => {
        this.#logger.warn(`A replaced connection did not close: ${errorText(error)}`);
      })
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  /** Resolves when all of them are closed. */
  async closed(): Promise<void> {
    await Promise.all(this.#closing);
  }
}

/** A transport for one credential, which can be replaced while pushes are in flight. */
export class ReplaceableTransport implements PushTransport {
  readonly #retired = new RetiredTransports();
  #credential: string;
  #transport: PushTransport;

  /** `credential`: its name, as in `PushTransport.credentialOf`. */
  constructor(credential: string, transport: PushTransport) {
    this.#credential = credential;
    this.#transport = transport;
  }

  /** Sends with this transport from now on; the current one ends with its last answer. */
  replace(credential: string, transport: PushTransport): void {
    this.#retired.retire(this.#transport);
    this.#credential = credential;
    this.#transport = transport;
  }

  send(push: OutgoingPush): Promise<ProviderAnswer> {
    return this.#transport.send(push);
  }

  credentialOf(): string {
    return this.#credential;
  }

  async close(): Promise<void> {
    this.#retired.retire(this.#transport);
    await this.#retired.closed();
  }
}
