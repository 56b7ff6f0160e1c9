import { Inject, Injectable } from '@nestjs/common';
import { EXTERNAL_URL } from '#directory/auth';
import { substituteIdentity, VisibleUsersRepository } from '#directory/guest-access';
import {
  type CapabilityEvents,
  DeclaresEvents,
  isCapable,
  type StateRequest,
} from '#events/declarations';
import { EventLog, type EventOrigin, type NewEvent } from '#events/log';
import { realmHost } from '#platform/core';
import type { Session, Transaction } from '#platform/database';
import type { RealmAccount } from '#platform/contracts';
import { flagEventBody, flagEventType, unreadDetails } from './events/flag-event.rules.js';
import { messageEventBody, messageEventType, readerFlags } from './events/message-event.rules.js';
import { MessageStateRepository } from './events/message-state.repository.js';
import { toUnreadMessages } from './events/unread-messages.rules.js';
import type { FlagChange, UnreadMessage } from './flags/message-flag.repository.js';
import type { MessageView } from './reading/message.repository.js';
import type { MessageWithRecipients } from './sending/new-message.repository.js';

/** The messages in the response of `POST /register`, and the events of messages and of their flags. */
@Injectable()
@DeclaresEvents()
export class MessageEvents implements CapabilityEvents {
  readonly types = [messageEventType, flagEventType];
  readonly fetchTypes = [
    'message',
    'recent_private_conversations',
    'starred_messages',
    'update_message_flags',
  ];

  constructor(
    private readonly state: MessageStateRepository,
    private readonly visibleUsers: VisibleUsersRepository,
    private readonly log: EventLog,
    @Inject(EXTERNAL_URL) private readonly externalUrl: URL,
  ) {}

  async readState({ caller: { userId }, snapshot, options, wants }: StateRequest) {
    const isEmptyTopicAllowed = isCapable(options, 'empty_topic_name');
    return {
      ...(wants('message') && { max_message_id: await this.state.newest(snapshot, userId) }),
      ...(wants('recent_private_conversations') && {
        recent_private_conversations: await this.#recentConversations(snapshot, userId),
      }),
      ...(wants('starred_messages') && {
        starred_messages: await this.state.starred(snapshot, userId),
      }),
      ...(wants('message') &&
        wants('update_message_flags') && {
          unread_msgs: toUnreadMessages(
            userId,
            await this.state.unread(snapshot, userId, isCapable(options, 'archived_channels')),
            isEmptyTopicAllowed,
          ),
        }),
    };
  }

  async #recentConversations(snapshot: Session, userId: number) {
    const conversations = await this.state.recentConversations(snapshot, userId);
    return conversations.map(({ newestMessageId, otherIds }) => ({
      max_message_id: newestMessageId,
      user_ids: otherIds,
    }));
  }

  /**
   * Adds the event of a new message. Its recipients get it, and queues that listen to all public channels. Guests who may
   * not see the sender get an event with a substitute identity: one more statement, only if there may be such guests.
   */
  async delivered(
    transaction: Transaction,
    message: MessageWithRecipients & Pick<MessageView, 'topicLinks'>,
    origin: EventOrigin | null,
  ): Promise<void> {
    const userIds = message.recipients
      .flatMap((alike) => alike.userIds)
      .toSorted((one, other) => one - other);
    const hiddenFrom = await this.#guestsWithoutSender(transaction, message);
    const event = {
      realmId: message.realmId,
      type: 'message',
      flags: readerFlags(message.recipients),
    };
    this.log.append(transaction, {
      ...event,
      body: messageEventBody(message),
      audience: { userIds: userIds.filter((id) => !hiddenFrom.has(id)) },
      isPublic: message.channel?.isPrivate === false,
      ...(origin !== null && message.isQueueOfSender && { origin }),
    });
    if (hiddenFrom.size === 0) return;
    const host = realmHost(this.externalUrl, message.sender.realm.subdomain);
    const sender = { ...message.sender, ...substituteIdentity(message.senderId, host) };
    this.log.append(transaction, {
      ...event,
      body: messageEventBody({ ...message, sender }),
      audience: { userIds: [...hiddenFrom] },
    });
  }

  async #guestsWithoutSender(
    transaction: Transaction,
    { senderId, guestIdsToCheck }: MessageWithRecipients,
  ): Promise<ReadonlySet<number>> {
    if (guestIdsToCheck.length === 0) return new Set();
    const pairs = guestIdsToCheck.map((viewerId) => ({ viewerId, otherId: senderId }));
    const hidden = await this.visibleUsers.hiddenAmong(pairs, transaction);
    return new Set(hidden.map(({ viewerId }) => viewerId));
  }

  /** Adds the event of a flag of messages that have changed, in ascending order; none if there is no such message. */
  flagChanged(
    transaction: Transaction,
    reader: RealmAccount,
    { flag, isSet, messageIds }: FlagChange,
  ): void {
    if (messageIds.length === 0) return;
    const body = flagEventBody(isSet ? 'add' : 'remove', flag, messageIds);
    this.log.append(transaction, flagEvent(reader, body));
  }

  /** Adds the event that an account has read all its messages. */
  allRead(transaction: Transaction, reader: RealmAccount): void {
    const body = { ...flagEventBody('add', 'read', []), all: true };
    this.log.append(transaction, flagEvent(reader, body));
  }

  /** Adds the event of messages that were marked as unread, in ascending order; none if there is no such message. */
  markedUnread(
    transaction: Transaction,
    reader: RealmAccount,
    messages: readonly UnreadMessage[],
  ): void {
    if (messages.length === 0) return;
    const ids = messages.map(({ id }) => id);
    const body = {
      ...flagEventBody('remove', 'read', ids),
      message_details: unreadDetails(messages),
    };
    this.log.append(transaction, flagEvent(reader, body));
  }
}

const flagEvent = ({ userId, realmId }: RealmAccount, body: object): NewEvent => ({
  realmId,
  type: flagEventType.type,
  body,
  audience: { userIds: [userId] },
});
