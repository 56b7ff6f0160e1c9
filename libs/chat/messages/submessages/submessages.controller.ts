import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { MessageComposer } from '../composing/message-composer.js';
import { postSubmessage, renderMessage } from './submessages.schema.js';
import { SubmessagesService } from './submessages.service.js';

@Controller()
export class SubmessagesController {
  constructor(
    private readonly submessages: SubmessagesService,
    private readonly composer: MessageComposer,
  ) {}

  @Endpoint(postSubmessage)
  async add(
    @SignedIn() caller: Caller,
    @Parameters() { message_id, msg_type, content }: ParametersOf<typeof postSubmessage>,
  ) {
    await this.submessages.add(caller, { messageId: message_id, type: msg_type, content });
  }

  @Endpoint(renderMessage)
  async render(
    @SignedIn() caller: Caller,
    @Parameters() { content }: ParametersOf<typeof renderMessage>,
  ) {
    const { rendered } = await this.composer.compose(caller, content);
    return { rendered };
  }
}
