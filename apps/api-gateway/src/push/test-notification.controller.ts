import { Controller } from '@nestjs/common';
import type { Caller } from '#contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import { SendTestNotification } from '#push';
import { sendTestNotification } from './test-notification.schema.js';

@Controller()
export class TestNotificationController {
  constructor(private readonly sendTest: SendTestNotification) {}

  @Endpoint(sendTestNotification)
  async send(
    @SignedIn() caller: Caller,
    @Parameters() { token }: ParametersOf<typeof sendTestNotification>,
  ) {
    await this.sendTest.execute(caller, token);
  }
}
