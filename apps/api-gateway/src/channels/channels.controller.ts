import { Controller } from '@nestjs/common';
import { ListChannels, ListSubscriptions } from '#channels';
import type { Caller } from '#contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import { listedChannelAnswer } from './channel.answer.js';
import { channelQueryOf, listChannels } from './channels.schema.js';
import { subscriptionAnswer } from './subscription.answer.js';
import { listSubscriptions } from './subscriptions.schema.js';

@Controller()
export class ChannelsController {
  constructor(
    private readonly channels: ListChannels,
    private readonly ownSubscriptions: ListSubscriptions,
  ) {}

  @Endpoint(listChannels)
  async list(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof listChannels>,
  ) {
    const channels = await this.channels.execute(caller, channelQueryOf(parameters));
    const { include_default: showsDefault } = parameters;
    return { streams: channels.map((channel) => listedChannelAnswer(channel, showsDefault)) };
  }

  @Endpoint(listSubscriptions)
  async subscriptions(
    @SignedIn() caller: Caller,
    @Parameters() { include_subscribers: wanted }: ParametersOf<typeof listSubscriptions>,
  ) {
    const subscriptions = await this.ownSubscriptions.execute(caller, wanted);
    return { subscriptions: subscriptions.map(subscriptionAnswer) };
  }
}
