import { Injectable } from '@nestjs/common';
import { ChannelAccess, channelErrors, storedTopic } from '#chat/channels';
import { ApiError, type Caller } from '#platform/contracts';
import { MessageComposer } from './composing/message-composer.js';
import { ReadMessagesService } from './flags/read-messages.service.js';
import { fetchErrors } from './fetching/fetch.errors.js';
import { HiddenPartsFilter } from './reading/hidden-parts-filter.js';
import { MessageAccess } from './reading/message-access.js';
import type { MessageView, StoredMessage } from './reading/message.repository.js';

/** The contract gives a request this time to mark all messages. */
const MARK_ALL_MS = 50_000;

/** Reads messages and marks them as read. */
@Injectable()
export class MessagesService {
  constructor(
    private readonly messageAccess: MessageAccess,
    private readonly composer: MessageComposer,
    private readonly hiddenParts: HiddenPartsFilter,
    private readonly channelAccess: ChannelAccess,
    private readonly readMessages: ReadMessagesService,
  ) {}

  /**
   * The message as the caller may see it, with its HTML and the links in its topic. A message that was stored without HTML
   * is rendered with the names that the caller may see. Throws `invalidMessage` as MessageAccess does.
   */
  async fetch(caller: Caller, messageId: number): Promise<MessageView> {
    const message = await this.messageAccess.require(caller, messageId);
    const [shown, rendered, topicLinks] = await Promise.all([
      this.hiddenParts.apply(caller, message),
      message.rendered ?? this.#render(caller, message),
      message.channelId === null ? () => [] : this.composer.topicLinks(caller.realm.id),
    ]);
    return { ...shown, rendered, topicLinks: topicLinks(message.topic) };
  }

  async #render(caller: Caller, { content }: StoredMessage): Promise<string> {
    const { rendered } = await this.composer.compose(caller, content);
    return rendered;
  }

  /**
   * Marks all messages of a channel as read. Throws `invalidChannelId` for an archived channel and for one that the
   * caller cannot read.
   */
  async markChannelAsRead(caller: Caller, channelId: number): Promise<void> {
    await this.#requireReadable(caller, channelId);
    await this.readMessages.markRange(caller.userId, { of: { channelId } });
  }

  /**
   * The same for a topic. Throws `noSuchTopic` if the caller has no unread message of it and has received none of its newest
   * 10,000 messages.
   */
  async markTopicAsRead(caller: Caller, channelId: number, name: string): Promise<void> {
    await this.#requireReadable(caller, channelId);
    const topic = storedTopic(name);
    if (await this.readMessages.markRange(caller.userId, { of: { channelId, topic } })) return;
    if (!(await this.readMessages.hasTopic(caller.userId, channelId, topic))) {
      throw new ApiError(fetchErrors.noSuchTopic, { topic: name });
    }
  }

  /** Marks all messages of the caller as read. Resolves with false if the time is over before. */
  async markAllAsRead({ userId, realm }: Caller): Promise<boolean> {
    return this.readMessages.markAll({ userId, realmId: realm.id }, MARK_ALL_MS);
  }

  async #requireReadable(caller: Caller, channelId: number): Promise<void> {
    const { channel } = await this.channelAccess.require(caller, channelId, 'content');
    if (channel.archivedAt !== null) throw new ApiError(channelErrors.invalidChannelId);
  }
}
