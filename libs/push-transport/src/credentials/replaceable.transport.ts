import type { OutgoingPush, ProviderAnswer, PushTransport } from '../transport/push-transport.js';
import { RetiredTransports } from './retired-transports.js';

/** A transport for one credential, which may become another one while pushes are under way. */
export class ReplaceableTransport implements PushTransport {
  readonly #retired = new RetiredTransports();
  #credential: string;
  #transport: PushTransport;

  /** `credential` names what the transport signs in with, as `credentialOf` tells it. */
  constructor(credential: string, transport: PushTransport) {
    this.#credential = credential;
    this.#transport = transport;
  }

  /** Pushes go by this one from now on; the present one ends with its last answer. */
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
