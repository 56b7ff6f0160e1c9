import { Injectable } from '@nestjs/common';
import { ChannelAccess, channelErrors, storedTopic } from '#chat/channels';
import { GroupMembershipRepository } from '#directory/groups';
import { ApiError, type Caller } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import { LockedMessageRepository } from '../changing/locked-message.repository.js';
import { messageErrors } from '../messages.errors.js';
import { isLastSlice, MAX_DELETED, MessageDeleter } from './message-deleter.js';
import { TopicDeletionRepository } from './topic-deletion.repository.js';

/** A request begins no further slice after this time. */
const MAX_MS = 50_000;

/** Deletes all messages of topics. */
@Injectable()
export class TopicDeletionService {
  constructor(
    private readonly channelAccess: ChannelAccess,
    private readonly lockedMessages: LockedMessageRepository,
    private readonly topics: TopicDeletionRepository,
    private readonly membership: GroupMembershipRepository,
    private readonly deleter: MessageDeleter,
    private readonly database: Database,
  ) {}

  /**
   * Deletes the messages of a topic that the caller may read, the newest first, in slices that are committed one by one.
   * Resolves with false if the time is over before all are deleted; a repetition continues. Rejects with
   * `invalidChannelId` and with `mayNotDelete`.
   */
  async delete(caller: Caller, channelId: number, topic: string): Promise<boolean> {
    await this.channelAccess.require(caller, channelId, 'content');
    const named = { channelId, topic: storedTopic(topic) };
    const deadline = performance.now() + MAX_MS;
    do {
      const work = (transaction: Transaction) => this.#deleteSlice(transaction, caller, named);
      if (await this.database.transaction(work)) return true;
    } while (performance.now() < deadline);
    return false;
  }

  /** Resolves with whether no message is left. */
  async #deleteSlice(
    transaction: Transaction,
    caller: Caller,
    topic: { readonly channelId: number; readonly topic: string },
  ): Promise<boolean> {
    const { channelId } = topic;
    const { userId, realm } = caller;
    await this.lockedMessages.lockPlace(transaction, realm.id, { channelId, conversationId: null });
    const groups = await this.membership.groupsOf(userId, transaction);
    const reader = { userId, realmId: realm.id, groups };
    const channel = await this.topics.channel(transaction, reader, channelId);
    if (channel === null || channel.isArchived) throw new ApiError(channelErrors.invalidChannelId);
    if (!channel.mayDeleteAny) throw new ApiError(messageErrors.mayNotDelete);
    const found = await this.topics.newest(transaction, reader, topic, MAX_DELETED);
    const place = { realmId: realm.id, channelId };
    const deleted = await this.deleter.deleteAll(transaction, userId, place, found);
    return isLastSlice(found.length, deleted);
  }
}
