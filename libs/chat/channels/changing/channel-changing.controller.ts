import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { SubscribingService } from '../subscribing/subscribing.service.js';
import { channelPlanOf } from '../subscribing/subscriptions.schema.js';
import {
  archiveChannel,
  changeChannel,
  channelEditOf,
  createChannel,
} from './channel-changing.schema.js';
import { ChannelChangingService } from './channel-changing.service.js';

@Controller()
export class ChannelChangingController {
  constructor(
    private readonly channels: ChannelChangingService,
    private readonly subscribing: SubscribingService,
  ) {}

  @Endpoint(changeChannel)
  async change(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof changeChannel>,
  ) {
    await this.channels.change(caller, parameters.stream_id, channelEditOf(parameters));
  }

  @Endpoint(archiveChannel)
  async archive(
    @SignedIn() caller: Caller,
    @Parameters() { stream_id: channelId }: ParametersOf<typeof archiveChannel>,
  ) {
    await this.channels.archive(caller, channelId);
  }

  @Endpoint(createChannel)
  async create(
    @SignedIn() caller: Caller,
    @Parameters() parameters: ParametersOf<typeof createChannel>,
  ) {
    const { name, description, subscribers: ids } = parameters;
    const plan = channelPlanOf(parameters);
    return { id: await this.subscribing.create(caller, { name, description }, { ids }, plan) };
  }
}
