import { Inject, Injectable } from '@nestjs/common';
import { AttachmentEvents } from '#chat/attachments';
import { ChannelActivityEvents } from '#chat/channels';
import { AccountVisibilityEvents } from '#directory/users';
import type { EventOrigin } from '#events/log';
import { ApiError, signInErrors } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import type { TopicLink } from '../composing/topic-links.rules.js';
import { MESSAGE_NOTIFIER, type MessageNotifier, type NewMessage } from '../message-notifier.js';
import { MessageEvents } from '../messages.events.js';
import { type DeliveredMessage, NewMessageRepository } from './new-message.repository.js';

/** A message that was stored in the same transaction. */
export interface StoredForPublication extends Omit<NewMessage, 'mentionedVia' | 'recipientCount'> {
  /** Null for a message without push notifications. */
  readonly mentionedVia: NewMessage['mentionedVia'] | null;
  readonly origin: EventOrigin | null;
  /** The files that the message links. */
  readonly attachmentIds: readonly number[];
  /** The links in its topic. */
  readonly topicLinks: readonly TopicLink[];
}

/** Publishes a stored message to clients and phones, in its transaction. */
@Injectable()
export class MessagePublisher {
  constructor(
    private readonly messages: NewMessageRepository,
    private readonly events: MessageEvents,
    private readonly channelEvents: ChannelActivityEvents,
    private readonly attachmentEvents: AttachmentEvents,
    private readonly visibility: AccountVisibilityEvents,
    @Inject(MESSAGE_NOTIFIER) private readonly notifier: MessageNotifier,
  ) {}

  /**
   * Completes the rows of the recipients and adds the event and the notifications of the message. Rejects with
   * `accountDeactivated` for a sender who was deactivated while the message waited for its place.
   */
  async publish(transaction: Transaction, message: StoredForPublication): Promise<void> {
    const { mentionedVia, origin, attachmentIds, topicLinks, ...stored } = message;
    const queueId = origin?.queueId ?? null;
    const delivered = await this.messages.record(transaction, { ...stored, queueId });
    if (!delivered.isSenderActive) throw new ApiError(signInErrors.accountDeactivated);
    await this.#showMembersToGuests(transaction, delivered);
    await this.events.delivered(transaction, { ...delivered, topicLinks }, origin);
    await this.#publishToChannel(transaction, delivered);
    await this.attachmentEvents.linked(transaction, attachmentIds);
    if (mentionedVia === null) return;
    const recipientCount = delivered.recipients.reduce(
      (sum, { userIds }) => sum + userIds.length,
      0,
    );
    const notified = { ...stored, mentionedVia, recipientCount };
    transaction.afterCommit(await this.notifier.stored(transaction, notified));
  }

  /** Shows the members of a new conversation to the guests among them. */
  async #showMembersToGuests(
    transaction: Transaction,
    { realmId, conversationId, recipients, guestIdsOfConversation: guestIds }: DeliveredMessage,
  ): Promise<void> {
    if (guestIds.length === 0 || conversationId === null) return;
    const userIds = recipients.flatMap((alike) => alike.userIds);
    const places = { conversationIds: [conversationId] };
    await this.visibility.beganSharing(transaction, { realmId, guestIds, userIds }, places);
  }

  async #publishToChannel(transaction: Transaction, message: DeliveredMessage): Promise<void> {
    const { channel, isFirstOfDay } = message;
    if (channel === null) return;
    await this.channelEvents.messageStored(transaction, {
      ...message,
      channel,
      isFirstOfDay: isFirstOfDay === true,
    });
  }
}
