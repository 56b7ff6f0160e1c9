import { Injectable } from '@nestjs/common';
import { UserAccess } from '#directory/users';
import type { Caller } from '#platform/contracts';
import { ChannelAccess } from '../access/channel-access.js';
import { ChannelDescriber, type ChannelDescription } from '../listing/channel-describer.js';
import { isHistoryPublic } from '../listing/channel-fields.rules.js';
import { SubscriptionRepository } from '../subscriptions/subscription.repository.js';
import { type TopicEntry, TopicRepository } from '../topics/topic.repository.js';

/** Reads single channels, their topics and their subscribers. Each method rejects with `invalidChannelId`. */
@Injectable()
export class ChannelReadingService {
  constructor(
    private readonly channelAccess: ChannelAccess,
    private readonly describer: ChannelDescriber,
    private readonly topicList: TopicRepository,
    private readonly subscriptions: SubscriptionRepository,
    private readonly users: UserAccess,
  ) {}

  /** A channel that the caller may see. */
  async describe(caller: Caller, channelId: number): Promise<ChannelDescription> {
    const { channel } = await this.channelAccess.require(caller, channelId, 'metadata');
    const [described] = await this.describer.describe(caller.realm.id, [channel]);
    if (described === undefined) throw new Error(`Channel ${channelId} was not described`);
    return described;
  }

  /** The id of the channel with this name. Rejects with `invalidChannelName` instead. */
  async idOf(caller: Caller, name: string): Promise<number> {
    return (await this.channelAccess.requireNamed(caller, name, 'metadata')).channel.id;
  }

  /** The topics that the caller may read, newest first; of all messages, or of the received ones if the history is hidden. */
  async topics(caller: Caller, channelId: number): Promise<TopicEntry[]> {
    const { channel } = await this.channelAccess.require(caller, channelId, 'content');
    return isHistoryPublic(channel)
      ? this.topicList.all(channelId)
      : this.topicList.received(channelId, caller.userId);
  }

  /** The ids of the active subscribers in ascending order. */
  async subscribers(caller: Caller, channelId: number): Promise<readonly number[]> {
    await this.channelAccess.require(caller, channelId, 'metadata');
    const lists = await this.subscriptions.subscribersOf([channelId]);
    return lists.get(channelId)?.userIds ?? [];
  }

  /** Whether an account is subscribed. Rejects first with `noSuchUser`. */
  async isSubscribed(caller: Caller, userId: number, channelId: number): Promise<boolean> {
    await this.users.requireVisible(caller, userId);
    await this.channelAccess.require(caller, channelId, 'metadata');
    return this.subscriptions.isSubscribed(channelId, userId);
  }
}
