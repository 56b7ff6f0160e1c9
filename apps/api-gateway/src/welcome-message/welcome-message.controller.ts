import { Controller } from '@nestjs/common';
import type { Caller } from '#contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import { SendTestWelcomeMessage } from '#welcome-message';
import { postTestMessage } from './welcome-message.schema.js';

@Controller()
export class WelcomeMessageController {
  constructor(private readonly sendTestMessage: SendTestWelcomeMessage) {}

  @Endpoint(postTestMessage)
  async test(
    @SignedIn() caller: Caller,
    @Parameters() { welcome_message_custom_text }: ParametersOf<typeof postTestMessage>,
  ) {
    return { message_id: await this.sendTestMessage.execute(caller, welcome_message_custom_text) };
  }
}
