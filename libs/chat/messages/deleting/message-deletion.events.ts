import { Injectable } from '@nestjs/common';
import { type DeclaredTypes, DeclaresEvents } from '#events/declarations';
import { EventLog } from '#events/log';
import type { Transaction } from '#platform/database';
import { idsOfReaders, MessageReadersRepository } from '../changing/message-readers.repository.js';
import { flagEventBody, flagEventType } from '../events/flag-event.rules.js';
import {
  deletionEventBodies,
  deletionEventType,
  type PlaceOfMessages,
} from './deletion-event.rules.js';

/** Messages of one topic or of one direct conversation. */
export interface MessagesOfPlace extends PlaceOfMessages {
  readonly realmId: number;
  /** At least one. */
  readonly messageIds: readonly [number, ...number[]];
}

/** The events of deleted messages. */
@Injectable()
@DeclaresEvents()
export class MessageDeletionEvents implements DeclaredTypes {
  readonly types = [deletionEventType];

  constructor(
    private readonly readers: MessageReadersRepository,
    private readonly log: EventLog,
  ) {}

  /**
   * Adds the events for the readers of messages and for the account that deletes them, if any, before the deletion.
   * Accounts that have starred a message and may no longer read it get the removal of the flag.
   */
  async deleted(
    transaction: Transaction,
    deleterId: number | null,
    deleted: MessagesOfPlace,
  ): Promise<void> {
    const readers = await this.readers.of(transaction, deleted.messageIds);
    const userIds = new Set(idsOfReaders(readers));
    if (deleterId !== null) userIds.add(deleterId);
    this.hidden(transaction, deleted, [...userIds]);
    const { realmId, messageIds } = deleted;
    const starred = await this.readers.starred(transaction, messageIds, [...userIds]);
    for (const { messageIds: ids, userIds: formerIds } of starred) {
      const body = flagEventBody('remove', 'starred', ids);
      const audience = { userIds: formerIds };
      this.log.append(transaction, { realmId, type: flagEventType.type, body, audience });
    }
  }

  /** Adds the events for accounts that may read messages no more. */
  hidden(transaction: Transaction, messages: MessagesOfPlace, userIds: readonly number[]): void {
    if (userIds.length === 0) return;
    const { realmId, messageIds } = messages;
    for (const body of deletionEventBodies(messages, messageIds)) {
      const { type } = deletionEventType;
      this.log.append(transaction, { realmId, type, body, audience: { userIds } });
    }
  }
}
