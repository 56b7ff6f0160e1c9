import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { mapInSlices } from '#platform/core';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { toListedChannelResponse, toSubscriptionResponse } from './channels.response.js';
import {
  addDefaultChannel,
  channelQueryOf,
  listChannels,
  listSubscriptions,
  removeDefaultChannel,
} from './channels.schema.js';
import { ChannelsService } from './channels.service.js';
import { DefaultChannelsService } from '../defaults/default-channels.service.js';

@Controller()
export class ChannelsController {
  constructor(
    private readonly channels: ChannelsService,
    private readonly defaultChannels: DefaultChannelsService,
  ) {}

  @Endpoint(listChannels)
  async list(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof listChannels>,
  ) {
    const channels = await this.channels.list(caller, channelQueryOf(parameters));
    const { include_default: showsDefault } = parameters;
    const toResponse = (channel: (typeof channels)[number]) =>
      toListedChannelResponse(channel, showsDefault);
    return { streams: await mapInSlices(channels, toResponse) };
  }

  @Endpoint(listSubscriptions)
  async subscriptions(
    @SignedIn() caller: Caller,
    @Parameters() { include_subscribers }: ParametersOf<typeof listSubscriptions>,
  ) {
    const subscriptions = await this.channels.listSubscriptions(caller, include_subscribers);
    return { subscriptions: await mapInSlices(subscriptions, toSubscriptionResponse) };
  }

  @Endpoint(addDefaultChannel)
  async addDefault(
    @SignedIn() caller: Caller,
    @Parameters() { stream_id: channelId }: ParametersOf<typeof addDefaultChannel>,
  ) {
    await this.defaultChannels.add(caller, channelId);
  }

  @Endpoint(removeDefaultChannel)
  async removeDefault(
    @SignedIn() caller: Caller,
    @Parameters() { stream_id: channelId }: ParametersOf<typeof removeDefaultChannel>,
  ) {
    await this.defaultChannels.remove(caller, channelId);
  }
}
