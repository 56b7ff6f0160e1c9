import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { toChannelResponse } from '../listing/channels.response.js';
import { shownTopic } from '../topics/topic-name.rules.js';
import {
  getChannel,
  getChannelId,
  getEmailAddress,
  getSubscribers,
  getSubscriptionStatus,
  getTopics,
  getUserChannels,
} from './channel-reading.schema.js';
import { ChannelReadingService } from './channel-reading.service.js';
import { UserChannelsService } from './user-channels.service.js';

@Controller()
export class ChannelReadingController {
  constructor(
    private readonly channels: ChannelReadingService,
    private readonly ofUsers: UserChannelsService,
  ) {}

  @Endpoint(getChannel)
  async channel(
    @SignedIn() caller: Caller,
    @Parameters() { stream_id: channelId }: ParametersOf<typeof getChannel>,
  ) {
    return { stream: toChannelResponse(await this.channels.describe(caller, channelId)) };
  }

  @Endpoint(getChannelId)
  async id(
    @SignedIn() caller: Caller,
    @Parameters() { stream: name }: ParametersOf<typeof getChannelId>,
  ) {
    return { stream_id: await this.channels.idOf(caller, name) };
  }

  @Endpoint(getTopics)
  async topics(
    @SignedIn() caller: Caller,
    @Parameters()
    { stream_id: channelId, allow_empty_topic_name }: ParametersOf<typeof getTopics>,
  ) {
    const topics = await this.channels.topics(caller, channelId);
    return {
      topics: topics.map(({ name, newestId }) => ({
        name: shownTopic(name, allow_empty_topic_name),
        max_id: newestId,
      })),
    };
  }

  @Endpoint(getSubscribers)
  async subscribers(
    @SignedIn() caller: Caller,
    @Parameters() { stream_id: channelId }: ParametersOf<typeof getSubscribers>,
  ) {
    return { subscribers: await this.channels.subscribers(caller, channelId) };
  }

  @Endpoint(getSubscriptionStatus)
  async isSubscribed(
    @SignedIn() caller: Caller,
    @Parameters() { user_id, stream_id }: ParametersOf<typeof getSubscriptionStatus>,
  ) {
    return { is_subscribed: await this.channels.isSubscribed(caller, user_id, stream_id) };
  }

  @Endpoint(getUserChannels)
  async ofUser(
    @SignedIn() caller: Caller,
    @Parameters() { user_id: userId }: ParametersOf<typeof getUserChannels>,
  ) {
    return { subscribed_channel_ids: await this.ofUsers.channelsOf(caller, userId) };
  }

  @Endpoint(getEmailAddress)
  async emailAddress(
    @SignedIn() caller: Caller,
    @Parameters() { stream_id: channelId }: ParametersOf<typeof getEmailAddress>,
  ) {
    await this.channels.describe(caller, channelId);
    return { email: '' };
  }
}
