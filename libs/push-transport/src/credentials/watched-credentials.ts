import { Logger } from '@nestjs/common';
import { errorText } from '#core';
import { digestOf } from './credential-check.rules.js';

/** Credentials that lie in files, which may be replaced at any time. */
export interface CredentialFiles<Credentials> {
  /** Whose they are, for the log. */
  readonly name: string;
  /** Reads all of them; rejects when they cannot be used, with a message that shows no secret. */
  read(): Promise<Credentials>;
  /** Why readable credentials must not take the place of the present ones; null when they may. */
  objectionTo?(next: Credentials, present: Credentials): string | null;
  /** What to tell of credentials that are in use and will not be for long. */
  warningsOf?(present: Credentials): readonly string[];
  /** Sends with these from now on; throws when that cannot be. */
  use(credentials: Credentials): void;
}

/** Looks after the files of credentials: what changes and can be used is used, what cannot changes nothing. */
export class WatchedCredentials<Credentials> {
  readonly #logger = new Logger('Credentials');
  #present: Credentials;
  #digest: string;
  #seenFault: string | undefined;
  #toldFault: string | undefined;
  #reloading: Promise<void> | undefined;

  /** `present` are those in use by now. */
  constructor(
    private readonly files: CredentialFiles<Credentials>,
    present: Credentials,
  ) {
    this.#present = present;
    this.#digest = digestOf(present);
  }

  /** What a person should do something about: files that cannot be used, credentials that end soon. */
  get warnings(): readonly string[] {
    const fault = this.#toldFault === undefined ? [] : [`cannot be used: ${this.#toldFault}`];
    return [...fault, ...(this.files.warningsOf?.(this.#present) ?? [])];
  }

  /**
   * Looks at the files. What is wrong is told when it is the same the second time, because files that belong
   * together are replaced one after the other; at once when a person asks. Never rejects.
   */
  reload(isAskedFor = false): Promise<void> {
    this.#reloading ??= this.#reload(isAskedFor).finally(() => {
      this.#reloading = undefined;
    });
    return this.#reloading;
  }

  async #reload(isAskedFor: boolean): Promise<void> {
    try {
      const next = await this.files.read();
      const digest = digestOf(next);
      if (digest !== this.#digest) this.#replace(next, digest);
      this.#tellRecovery();
    } catch (error) {
      this.#tellFault(errorText(error), isAskedFor);
    }
  }

  #replace(next: Credentials, digest: string): void {
    const objection = this.files.objectionTo?.(next, this.#present) ?? null;
    if (objection !== null) throw new Error(objection);
    this.files.use(next);
    this.#present = next;
    this.#digest = digest;
    this.#logger.log(`The credentials of ${this.files.name} have changed and are used from now on`);
  }

  #tellFault(fault: string, isAskedFor: boolean): void {
    const isSettled = isAskedFor || fault === this.#seenFault;
    this.#seenFault = fault;
    if (!isSettled || fault === this.#toldFault) return;
    this.#toldFault = fault;
    this.#logger.error(
      `The credentials of ${this.files.name} have changed and cannot be used: ${fault}. ` +
        'Those from before stay in use.',
    );
  }

  #tellRecovery(): void {
    if (this.#toldFault !== undefined) {
      this.#logger.log(`The files with the credentials of ${this.files.name} can be used again`);
    }
    this.#seenFault = undefined;
    this.#toldFault = undefined;
  }
}
