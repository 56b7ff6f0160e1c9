import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#platform/contracts';
import type { LockedMessage } from '../changing/locked-message.repository.js';
import { LockedMessages } from '../changing/locked-messages.js';
import { messageErrors } from '../messages.errors.js';
import { MessageDeleter } from './message-deleter.js';

/** Deletes single messages. */
@Injectable()
export class MessageDeletionService {
  constructor(
    private readonly messages: LockedMessages,
    private readonly deleter: MessageDeleter,
  ) {}

  /**
   * Deletes a message. Rejects with `invalidMessage`, with `mayNotDelete`, and with `messageAlreadyDeleted` if another
   * request deletes it at the same time.
   */
  async delete(caller: Caller, messageId: number): Promise<void> {
    await this.messages.lockWithPlace(caller, messageId, {
      prepare: () => Promise.resolve(),
      work: async (transaction, message) => {
        if (!mayDelete(caller, message)) throw new ApiError(messageErrors.mayNotDelete);
        const { channelId, topic } = message;
        const place = { realmId: caller.realm.id, channelId, topic };
        await this.deleter.delete(transaction, caller.userId, {
          ...place,
          messageIds: [messageId],
        });
      },
    });
  }
}

/** Everyone may delete the own messages and those of the own bots, without a time limit. */
const mayDelete = (
  { userId }: Caller,
  { senderId, senderOwnerId, mayDeleteAny }: LockedMessage,
): boolean => mayDeleteAny || senderId === userId || senderOwnerId === userId;
