import { Injectable } from '@nestjs/common';
import { type CapabilityEvents, DeclaresEvents, type StateRequest } from '#events/declarations';
import { EventLog } from '#events/log';
import type { Caller } from '#platform/contracts';
import type { Session, Transaction } from '#platform/database';
import { MutedUserRepository } from './muted-user.repository.js';

/** The muted users of `POST /register`, and the events of their changes. Only the user who has muted them gets them. */
@Injectable()
@DeclaresEvents()
export class MutedUserEvents implements CapabilityEvents {
  readonly types = [{ type: 'muted_users' }];
  readonly fetchTypes = ['muted_users'];

  constructor(
    private readonly mutedUsers: MutedUserRepository,
    private readonly log: EventLog,
  ) {}

  readState({ caller, snapshot }: StateRequest) {
    return this.#body(snapshot, caller.userId);
  }

  /** Adds the event of a changed list, with the whole list; runs after the change in its transaction. */
  async changed(transaction: Transaction, caller: Caller): Promise<void> {
    const body = await this.#body(transaction, caller.userId);
    this.log.appendOwn(transaction, caller, 'muted_users', body);
  }

  async #body(session: Session, userId: number) {
    const muted = await this.mutedUsers.list(userId, session);
    return {
      muted_users: muted.map(({ userId: id, mutedAt }) => ({
        id,
        timestamp: Math.floor(mutedAt.getTime() / 1000),
      })),
    };
  }
}
