import { Injectable } from '@nestjs/common';
import { type DeclaredTypes, DeclaresEvents } from '#events/declarations';
import { EventLog } from '#events/log';
import type { Transaction } from '#platform/database';
import { idsOfReaders, MessageReadersRepository } from '../changing/message-readers.repository.js';
import type { NewSubmessage } from './submessage.repository.js';

/** The events of data of widgets. Messages have the state; `POST /register` has none. */
@Injectable()
@DeclaresEvents()
export class SubmessageEvents implements DeclaredTypes {
  readonly types = [{ type: 'submessage' }];

  constructor(
    private readonly readers: MessageReadersRepository,
    private readonly log: EventLog,
  ) {}

  /** Adds the event of a submessage, for all who may read its message. */
  async added(
    transaction: Transaction,
    realmId: number,
    { id, messageId, senderId, type, content }: NewSubmessage & { readonly id: number },
  ): Promise<void> {
    const readers = await this.readers.of(transaction, [messageId]);
    this.log.append(transaction, {
      realmId,
      type: 'submessage',
      body: {
        msg_type: type,
        message_id: messageId,
        submessage_id: id,
        sender_id: senderId,
        content,
      },
      audience: { userIds: idsOfReaders(readers) },
    });
  }
}
