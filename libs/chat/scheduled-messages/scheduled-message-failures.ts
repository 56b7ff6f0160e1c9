import { Injectable } from '@nestjs/common';
import { Notices } from '#chat/messages';
import type { Caller } from '#platform/contracts';
import { Database } from '#platform/database';
import {
  type ScheduledMessage,
  ScheduledMessageRepository,
} from './scheduled-message.repository.js';
import { ScheduledMessageEvents } from './scheduled-messages.events.js';
import { failureText } from './scheduled-messages.rules.js';

/** Stores the failures of scheduled messages. */
@Injectable()
export class ScheduledMessageFailures {
  constructor(
    private readonly messages: ScheduledMessageRepository,
    private readonly events: ScheduledMessageEvents,
    private readonly notices: Notices,
    private readonly database: Database,
  ) {}

  /**
   * Marks a message that cannot be sent, and sends its author a direct message with the reason. Does nothing if the message
   * was changed, sent or deleted meanwhile. A deactivated author, null, has no event queue and gets no message.
   */
  async store(author: Caller | null, message: ScheduledMessage, reason: string): Promise<void> {
    const sendNotice = await this.database.transaction(async (transaction) => {
      const failed = await this.messages.fail(transaction, message);
      if (failed === null || author === null) return undefined;
      this.events.changed(transaction, author, failed);
      const content = failureText(message.deliverAt, reason);
      const notice = { place: { userIds: [author.userId] }, content };
      return this.notices.add(transaction, author, () => [notice]);
    });
    await sendNotice?.();
  }
}
