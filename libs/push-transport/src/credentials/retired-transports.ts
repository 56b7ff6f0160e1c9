import { Logger } from '@nestjs/common';
import { errorText } from '#core';
import type { PushTransport } from '../transport/push-transport.js';

/** Transports that others have taken the place of, until their last answer is in. */
export class RetiredTransports {
  readonly #logger = new Logger('Credentials');
  readonly #closing = new Set<Promise<void>>();

  /** Closes the transport, which ends with its last answer. */
  retire(transport: PushTransport): void {
    const closing = transport
      .close()
      .catch((error: unknown) => {
        this.#logger.warn(`A connection that is no longer used did not close: ${errorText(error)}`);
      })
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  /** Resolves when all of them are closed. */
  async closed(): Promise<void> {
    await Promise.all(this.#closing);
  }
}
