import { Injectable } from '@nestjs/common';
import type { Emoji } from '#chat/emoji';
import { idsOfReaders, MessageReadersRepository } from '#chat/messages';
import { type DeclaredTypes, DeclaresEvents } from '#events/declarations';
import { EventLog } from '#events/log';
import type { Caller } from '#platform/contracts';
import type { Transaction } from '#platform/database';

/** The events of reactions. Messages have the state; `POST /register` has none. */
@Injectable()
@DeclaresEvents()
export class ReactionEvents implements DeclaredTypes {
  readonly types = [{ type: 'reaction' }];

  constructor(
    private readonly readers: MessageReadersRepository,
    private readonly log: EventLog,
  ) {}

  /** Adds the event of a reaction, for all who may read the message. */
  async changed(
    transaction: Transaction,
    { userId, realm }: Caller,
    {
      op,
      messageId,
      emoji,
    }: { readonly op: 'add' | 'remove'; readonly messageId: number; readonly emoji: Emoji },
  ): Promise<void> {
    const readers = await this.readers.of(transaction, [messageId]);
    this.log.append(transaction, {
      realmId: realm.id,
      type: 'reaction',
      body: {
        op,
        message_id: messageId,
        user_id: userId,
        // zulip-terminal stores this member of the event, and ends with an error where it is missing.
        user: { user_id: userId },
        emoji_name: emoji.name,
        emoji_code: emoji.code,
        reaction_type: emoji.type,
      },
      audience: { userIds: idsOfReaders(readers) },
    });
  }
}
