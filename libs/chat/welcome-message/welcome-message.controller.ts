import { Controller } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { postTestMessage } from './welcome-message.schema.js';
import { WelcomeMessageService } from './welcome-message.service.js';

@Controller()
export class WelcomeMessageController {
  constructor(private readonly welcomeMessage: WelcomeMessageService) {}

  @Endpoint(postTestMessage)
  async test(
    @SignedIn() caller: Caller,
    @Parameters() { welcome_message_custom_text }: ParametersOf<typeof postTestMessage>,
  ) {
    return { message_id: await this.welcomeMessage.sendTest(caller, welcome_message_custom_text) };
  }
}
