import { Injectable } from '@nestjs/common';
import { AccessChannel } from '#channels';
import { ApiError, type Caller } from '#contracts';
import { mayReadChannelMessage } from './message-access.rules.js';
import { MessageRepository, type StoredMessage } from './message.repository.js';

/** Finds the message that a request is about, where the caller may read it. */
@Injectable()
export class AccessMessage {
  constructor(
    private readonly messages: MessageRepository,
    private readonly accessChannel: AccessChannel,
  ) {}

  /**
   * The message with its place and what the caller has of it; those of archived channels too. Throws
   * `invalidMessage` for one that there is none of, or that the caller may not read.
   */
  async execute(caller: Caller, messageId: number): Promise<StoredMessage> {
    const message = await this.messages.find(caller.realm.id, messageId, caller.userId);
    if (message === null || !(await this.#mayRead(caller, message))) {
      throw new ApiError('invalidMessage');
    }
    return message;
  }

  async #mayRead(caller: Caller, message: StoredMessage): Promise<boolean> {
    const { channel, people, received } = message;
    if (channel === null) return people?.some(({ id }) => id === caller.userId) ?? false;
    const hasContentAccess =
      (await this.accessChannel.find(caller, channel.id, 'content')) !== null;
    return mayReadChannelMessage({ ...channel, hasContentAccess, isReceived: received !== null });
  }
}
