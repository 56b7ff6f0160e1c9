import { Injectable } from '@nestjs/common';

/** Receives an organisation whose events are those of an earlier time again. */
type OnRestored = (realmId: number) => void;

/** Notifies the parts of a gateway that PostgreSQL was restored to an earlier state, so that they forget later ones. */
@Injectable()
export class LogRestorations {
  readonly #listeners: OnRestored[] = [];

  /** Adds a listener. It must not throw. */
  onRestored(listener: OnRestored): void {
    this.#listeners.push(listener);
  }

  /** Called after PostgreSQL lost the newest events of an organisation. */
  notifyRestored(realmId: number): void {
    for (const listener of this.#listeners) listener(realmId);
  }
}
