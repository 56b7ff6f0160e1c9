import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { muteTopic, setUserTopic } from './user-topics.schema.js';
import { UserTopicsService } from './user-topics.service.js';

@Controller()
export class UserTopicsController {
  constructor(private readonly topics: UserTopicsService) {}

  @Endpoint(setUserTopic)
  async set(
    @SignedIn() caller: Caller,
    @Parameters()
    { stream_id: channelId, topic, visibility_policy }: ParametersOf<typeof setUserTopic>,
  ) {
    await this.topics.set(caller, { channelId, topic }, visibility_policy);
  }

  @Endpoint(muteTopic)
  async mute(
    @SignedIn() caller: Caller,
    @Parameters() { stream_id, stream, topic, op }: ParametersOf<typeof muteTopic>,
  ) {
    const channelId = await this.topics.channelNamed(caller, { id: stream_id, name: stream });
    if (op === 'add') await this.topics.mute(caller, { channelId, topic });
    else await this.topics.unmute(caller, { channelId, topic });
  }
}
