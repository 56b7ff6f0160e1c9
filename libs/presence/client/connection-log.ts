import { Logger } from '@nestjs/common';
import { errorText } from '#platform/core';
import { RecurringError } from '#presence/rpc';
import { hostAndPort, type ServerAddress } from '#platform/config';

/** A process that starts together with the gateway, or a little later, is not reported. */
const ATTEMPTS_BEFORE_WARNING = 10;

/** The log of the connection to one presence process. A loss is logged once until the next success. */
export class ConnectionLog {
  readonly #logger = new Logger('ClientConnection');
  readonly #refusals = new RecurringError(this.#logger);
  readonly #address: string;
  #isLossLogged = false;

  constructor(address: ServerAddress) {
    this.#address = hostAndPort(address);
  }

  opened(): void {
    this.#isLossLogged = false;
    this.#logger.log(`Connected to the presence process ${this.#address}`);
  }

  /** The process may refuse the gateway for a long time. */
  refused(error: unknown): void {
    this.#refusals.log(this.#closedText(error));
  }

  cutShort(): void {
    this.#refusals.log(`${this.#address} ended the connection before the handshake was complete`);
  }

  failed(error: unknown): void {
    this.#logger.warn(this.#closedText(error));
  }

  /** `attempts` have failed in a row, this one included. */
  lost(wasOpen: boolean, attempts: number, failure: Error | undefined): void {
    if (this.#isLossLogged || !(wasOpen || attempts === ATTEMPTS_BEFORE_WARNING)) return;
    this.#isLossLogged = true;
    const loss = wasOpen
      ? `The connection to the presence process ${this.#address} was lost`
      : `The presence process ${this.#address} cannot be reached`;
    this.#logger.warn(failure ? `${loss}: ${errorText(failure)}` : loss);
  }

  #closedText(error: unknown): string {
    return `The connection to ${this.#address} is closed: ${errorText(error)}`;
  }
}
