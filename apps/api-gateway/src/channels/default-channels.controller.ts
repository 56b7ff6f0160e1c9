import { Controller } from '@nestjs/common';
import { AddDefaultChannel, RemoveDefaultChannel } from '#channels';
import type { Caller } from '#contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import { addDefaultChannel, removeDefaultChannel } from './default-channels.schema.js';

@Controller()
export class DefaultChannelsController {
  constructor(
    private readonly addDefault: AddDefaultChannel,
    private readonly removeDefault: RemoveDefaultChannel,
  ) {}

  @Endpoint(addDefaultChannel)
  async add(
    @SignedIn() caller: Caller,
    @Parameters() { stream_id: channelId }: ParametersOf<typeof addDefaultChannel>,
  ) {
    await this.addDefault.execute(caller, channelId);
  }

  @Endpoint(removeDefaultChannel)
  async remove(
    @SignedIn() caller: Caller,
    @Parameters() { stream_id: channelId }: ParametersOf<typeof removeDefaultChannel>,
  ) {
    await this.removeDefault.execute(caller, channelId);
  }
}
