import { Inject, Injectable } from '@nestjs/common';
import { AttachmentEvents } from '#chat/attachments';
import { ChannelActivityEvents } from '#chat/channels';
import { AccountVisibilityEvents } from '#directory/users';
import type { EventOrigin } from '#events/log';
import type { Transaction } from '#platform/database';
import { MESSAGE_NOTIFIER, type MessageNotifier } from '../message-notifier.js';
import { MessageEvents } from '../messages.events.js';
import type { ComposedMessage } from './composed-message.js';
import type { MessageWithRecipients } from './new-message.repository.js';

/** Publishes a stored message to clients and phones, in its transaction. */
@Injectable()
export class MessagePublisher {
  constructor(
    private readonly events: MessageEvents,
    private readonly channelEvents: ChannelActivityEvents,
    private readonly attachmentEvents: AttachmentEvents,
    private readonly visibility: AccountVisibilityEvents,
    @Inject(MESSAGE_NOTIFIER) private readonly notifier: MessageNotifier,
  ) {}

  /** Adds the events of the message, of its channel and of its files. */
  async publish(
    transaction: Transaction,
    { topicLinks, attachmentIds }: ComposedMessage,
    stored: MessageWithRecipients,
    origin: EventOrigin | null,
  ): Promise<void> {
    await this.#showMembersToGuests(transaction, stored);
    await this.events.delivered(transaction, { ...stored, topicLinks }, origin);
    const { channel, isFirstOfDay } = stored;
    if (channel !== null) {
      const activity = { ...stored, channel, isFirstOfDay: isFirstOfDay === true };
      await this.channelEvents.messageStored(transaction, activity);
    }
    await this.attachmentEvents.linked(transaction, attachmentIds);
  }

  /** Adds the notifications of the message, and starts them after the commit. */
  async notify(
    transaction: Transaction,
    { mentionedVia }: ComposedMessage,
    { id, senderId, channelId, recipients }: MessageWithRecipients,
  ): Promise<void> {
    const recipientCount = recipients.reduce((sum, { userIds }) => sum + userIds.length, 0);
    const message = { id, senderId, channelId, mentionedVia, recipientCount };
    await this.notifier.stored(transaction, message);
  }

  /** Shows the members of a new conversation to the guests among them. */
  async #showMembersToGuests(
    transaction: Transaction,
    {
      realmId,
      conversationId,
      recipients,
      guestIdsOfConversation: guestIds,
    }: MessageWithRecipients,
  ): Promise<void> {
    if (guestIds.length === 0 || conversationId === null) return;
    const userIds = recipients.flatMap((alike) => alike.userIds);
    const places = { conversationIds: [conversationId] };
    await this.visibility.beganSharing(transaction, { realmId, guestIds, userIds }, places);
  }
}
