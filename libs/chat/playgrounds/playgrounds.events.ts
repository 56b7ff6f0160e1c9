import { Injectable } from '@nestjs/common';
import { type CapabilityEvents, DeclaresEvents, type StateRequest } from '#events/declarations';
import { EventLog } from '#events/log';
import type { Session, Transaction } from '#platform/database';
import { PlaygroundRepository } from './playground.repository.js';

/** The code playgrounds of `POST /register`, and the events of their changes. All accounts of the organisation get them. */
@Injectable()
@DeclaresEvents()
export class PlaygroundEvents implements CapabilityEvents {
  readonly types = [{ type: 'realm_playgrounds' }];
  readonly fetchTypes = ['realm_playgrounds'];

  constructor(
    private readonly playgrounds: PlaygroundRepository,
    private readonly log: EventLog,
  ) {}

  readState({ caller, snapshot }: StateRequest) {
    return this.#body(snapshot, caller.realm.id);
  }

  /** Adds the event of a new or a deleted playground, with all playgrounds; runs after the change in its transaction. */
  async changed(transaction: Transaction, realmId: number): Promise<void> {
    this.log.append(transaction, {
      realmId,
      type: 'realm_playgrounds',
      body: await this.#body(transaction, realmId),
      audience: { everyone: 'all' },
    });
  }

  async #body(session: Session, realmId: number) {
    const playgrounds = await this.playgrounds.list(session, realmId);
    return {
      realm_playgrounds: playgrounds.map(({ id, name, pygmentsLanguage, urlTemplate }) => ({
        id,
        name,
        pygments_language: pygmentsLanguage,
        url_template: urlTemplate,
      })),
    };
  }
}
