import { Injectable } from '@nestjs/common';
import { type DeclaredTypes, DeclaresEvents } from '#events/declarations';
import { EventLog } from '#events/log';
import type { Transaction } from '#platform/database';
import { type ReaderGroup, idsOfReaders } from '../changing/message-readers.repository.js';
import { flagEventBody, flagEventType } from '../events/flag-event.rules.js';
import { toFlags } from '../message.response.js';
import type { ReadByMove } from './moved-messages.repository.js';
import { type UpdateEventBody, updateEventType } from './update-event.rules.js';

/** The events of edited and moved messages. */
@Injectable()
@DeclaresEvents()
export class MessageEditEvents implements DeclaredTypes {
  readonly types = [updateEventType];

  constructor(private readonly log: EventLog) {}

  /** Adds the event of changed messages, for readers with their flags after the change; none without readers. */
  changed(
    transaction: Transaction,
    realmId: number,
    body: UpdateEventBody,
    readers: readonly ReaderGroup[],
  ): void {
    if (readers.length === 0) return;
    this.log.append(transaction, {
      realmId,
      type: updateEventType.type,
      body,
      audience: { userIds: idsOfReaders(readers) },
      flags: readers.map(({ received, userIds }) => ({ flags: toFlags(received), userIds })),
    });
  }

  /** Adds the events of messages that became read by a move. */
  read(transaction: Transaction, realmId: number, read: readonly ReadByMove[]): void {
    for (const { messageIds, userIds } of read) {
      this.log.append(transaction, {
        realmId,
        type: flagEventType.type,
        body: flagEventBody('add', 'read', messageIds),
        audience: { userIds },
      });
    }
  }
}
