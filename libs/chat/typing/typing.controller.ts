import { Controller } from '@nestjs/common';
import { destinationKindOf } from '#chat/messages/endpoints';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { postEditTyping, postOlderEditTyping, postTyping } from './typing.schema.js';
import { TypingService } from './typing.service.js';

@Controller()
export class TypingController {
  constructor(private readonly typing: TypingService) {}

  @Endpoint(postTyping)
  async type(
    @SignedIn() caller: Caller,
    @Parameters() { op, type, to, stream_id, topic }: ParametersOf<typeof postTyping>,
  ) {
    const destination = { kind: destinationKindOf(type), to, channelId: stream_id, topic };
    await this.typing.type(caller, op, destination);
  }

  @Endpoint(postEditTyping)
  async edit(
    @SignedIn() caller: Caller,
    @Parameters() { message_id, op }: ParametersOf<typeof postEditTyping>,
  ) {
    await this.typing.edit(caller, op, message_id);
  }

  @Endpoint(postOlderEditTyping)
  async editAsOlderClient(
    @SignedIn() caller: Caller,
    @Parameters() { message_id, op }: ParametersOf<typeof postOlderEditTyping>,
  ) {
    await this.typing.edit(caller, op, message_id);
  }
}
