import { Logger } from '@nestjs/common';
import { errorText } from '#platform/core';
import { type CredentialExpiry, digestOf } from './credential-check.rules.js';

/** How to read and use credentials from files that may be replaced at any time. */
interface CredentialFiles<Credentials> {
  /** The provider, for the log. */
  readonly name: string;
  /** Rejects for credentials that cannot be used, with a message without secrets. */
  read(): Promise<Credentials>;
  /** Why valid credentials must not replace the current ones; null if they may. */
  objectionTo?(next: Credentials, current: Credentials): string | null;
  /** Warnings about the current credentials, such as a near expiry. */
  warningsOf?(current: Credentials): readonly string[];
  /** Those of the current credentials that expire. */
  expiriesOf?(current: Credentials): readonly CredentialExpiry[];
  /** Sends with these from now on; throws if they cannot be used. */
  use(credentials: Credentials): void;
}

/** Uses replaced credentials as soon as they are valid. Until then the current ones stay in use. */
export class WatchedCredentials<Credentials> {
  readonly #logger = new Logger('Credentials');
  #current: Credentials;
  #digest: string;
  #lastFault: string | undefined;
  #reportedFault: string | undefined;
  #reloading: Promise<void> | undefined;

  constructor(
    private readonly files: CredentialFiles<Credentials>,
    current: Credentials,
  ) {
    this.#current = current;
    this.#digest = digestOf(current);
  }

  /** For the operator: files that cannot be used, and credentials that expire soon. */
  get warnings(): readonly string[] {
    const fault =
      this.#reportedFault === undefined ? [] : [`cannot be used: ${this.#reportedFault}`];
    return [...fault, ...(this.files.warningsOf?.(this.#current) ?? [])];
  }

  /** The current credentials that expire. */
  get expiries(): readonly CredentialExpiry[] {
    return this.files.expiriesOf?.(this.#current) ?? [];
  }

  /**
   * Reads the files. A fault is reported when it occurs twice in a row, since files that belong together are
   * replaced one after the other; with `reportsAtOnce` the first time, for an operator who asks. Never rejects.
   */
  reload({ reportsAtOnce = false } = {}): Promise<void> {
    this.#reloading ??= this.#reload(reportsAtOnce).finally(() => {
      this.#reloading = undefined;
    });
    return this.#reloading;
  }

  async #reload(reportsAtOnce: boolean): Promise<void> {
    try {
      const next = await this.files.read();
      const digest = digestOf(next);
      if (digest !== this.#digest) this.#replace(next, digest);
      this.#reportRecovery();
    } catch (error) {
      this.#reportFault(errorText(error), reportsAtOnce);
    }
  }

  #replace(next: Credentials, digest: string): void {
    const objection = this.files.objectionTo?.(next, this.#current) ?? null;
    if (objection !== null) throw new Error(objection);
    this.files.use(next);
    this.#current = next;
    this.#digest = digest;
    this.#logger.log(`The credentials of ${this.files.name} have changed and are used from now on`);
  }

  #reportFault(fault: string, reportsAtOnce: boolean): void {
    const isLasting = reportsAtOnce || fault === this.#lastFault;
    this.#lastFault = fault;
    if (!isLasting || fault === this.#reportedFault) return;
    this.#reportedFault = fault;
    this.#logger.error(
      `The credentials of ${this.files.name} have changed and cannot be used: ${fault}. ` +
        'Those from before stay in use.',
    );
  }

  #reportRecovery(): void {
    if (this.#reportedFault !== undefined) {
      this.#logger.log(`The files with the credentials of ${this.files.name} can be used again`);
    }
    this.#lastFault = undefined;
    this.#reportedFault = undefined;
  }
}
