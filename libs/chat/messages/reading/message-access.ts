import { Injectable } from '@nestjs/common';
import { ChannelAccess } from '#chat/channels';
import { GroupMembershipRepository } from '#directory/groups';
import { ApiError, type Caller } from '#platform/contracts';
import { messageErrors } from '../messages.errors.js';
import { LinkedFileRepository } from './linked-file.repository.js';
import { MessageRepository, type MessageOfReader } from './message.repository.js';

/** The properties of a channel message that decide whether an account may read it. */
interface ChannelMessageReach {
  /** Whether the account may read the channel. */
  readonly hasContentAccess: boolean;
  readonly isPrivate: boolean;
  /** Whether subscribers see earlier messages; null for the default of public or private channels. */
  readonly isHistoryPublic: boolean | null;
  /** Whether the message was sent to the account. */
  readonly isReceived: boolean;
}

/**
 * Whether an account may read a message of a channel. It must be able to read the channel. If the channel hides its
 * history, it must also have received the message.
 */
export const mayReadChannelMessage = (reach: ChannelMessageReach): boolean =>
  reach.hasContentAccess && (reach.isReceived || (reach.isHistoryPublic ?? !reach.isPrivate));

/** Finds the messages that a caller may read. */
@Injectable()
export class MessageAccess {
  constructor(
    private readonly messages: MessageRepository,
    private readonly channelAccess: ChannelAccess,
    private readonly linkedFiles: LinkedFileRepository,
    private readonly membership: GroupMembershipRepository,
  ) {}

  /**
   * A message with its place and the caller's flags, also from an archived channel. Throws `invalidMessage` for an
   * unknown message, and for one that the caller cannot read.
   */
  async require(caller: Caller, messageId: number): Promise<MessageOfReader> {
    const message = await this.find(caller, messageId);
    if (message === null) throw new ApiError(messageErrors.invalidMessage);
    return message;
  }

  /** The same; null instead of the error. */
  async find(caller: Caller, messageId: number): Promise<MessageOfReader | null> {
    const message = await this.messages.find(caller.realm.id, messageId, caller.userId);
    return message !== null && (await this.#mayRead(caller, message)) ? message : null;
  }

  /** Whether the caller may read a message that links the file; the owner of the file is not considered. */
  async mayReadLinkedFile(caller: Caller, attachmentId: number): Promise<boolean> {
    const groups = await this.membership.groupsOf(caller.userId);
    const reader = { userId: caller.userId, realmId: caller.realm.id };
    return this.linkedFiles.isReadBy(reader, groups, attachmentId);
  }

  async #mayRead(caller: Caller, message: MessageOfReader): Promise<boolean> {
    const { channel, people, received } = message;
    if (channel === null) return people?.some(({ id }) => id === caller.userId) ?? false;
    const hasContentAccess =
      (await this.channelAccess.find(caller, channel.id, 'content')) !== null;
    const isReceived = received !== null && !received.isHistorical;
    return mayReadChannelMessage({ ...channel, hasContentAccess, isReceived });
  }
}
