import { Injectable } from '@nestjs/common';
import {
  type CapabilityEvents,
  DeclaresEvents,
  type EventType,
  isCapable,
  type StateRequest,
} from '#events/declarations';
import { EventLog } from '#events/log';
import type { Session, Transaction } from '#platform/database';
import { LinkifierRepository } from './linkifier.repository.js';
import { toLinkifierResponse } from './linkifiers.response.js';

/** Clients without the capability know only an older form of linkifiers, and get none. */
const linkifierEventType: EventType = {
  type: 'realm_linkifiers',
  formsOf: (body, options) => [
    isCapable(options, 'linkifier_url_template') ? body : { realm_linkifiers: [] },
  ],
};

/** The linkifiers of `POST /register`, and the events of their changes. All accounts of the organisation get them. */
@Injectable()
@DeclaresEvents()
export class LinkifierEvents implements CapabilityEvents {
  readonly types = [linkifierEventType];
  readonly fetchTypes = ['realm_linkifiers'];

  constructor(
    private readonly linkifiers: LinkifierRepository,
    private readonly log: EventLog,
  ) {}

  async readState({ caller, snapshot, options }: StateRequest) {
    if (!isCapable(options, 'linkifier_url_template')) return { realm_linkifiers: [] };
    return this.#body(snapshot, caller.realm.id);
  }

  /** Adds the event of a change, with all linkifiers; runs after the change in its transaction. */
  async changed(transaction: Transaction, realmId: number): Promise<void> {
    this.log.append(transaction, {
      realmId,
      type: linkifierEventType.type,
      body: await this.#body(transaction, realmId),
      audience: { everyone: 'all' },
    });
  }

  async #body(session: Session, realmId: number) {
    const linkifiers = await this.linkifiers.list(realmId, session);
    return { realm_linkifiers: linkifiers.map(toLinkifierResponse) };
  }
}
