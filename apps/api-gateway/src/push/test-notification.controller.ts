import { Controller } from '@nestjs/common';
import type { Caller } from '#contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import { requestDigest } from '#idempotency';
import { SendTestNotification } from '#push';
import { sendTestNotification } from './test-notification.schema.js';

@Controller()
export class TestNotificationController {
  constructor(private readonly sendTest: SendTestNotification) {}

  @Endpoint(sendTestNotification)
  async send(
    @SignedIn() caller: Caller,
    @Parameters() { token, 'Idempotency-Key': key }: ParametersOf<typeof sendTestNotification>,
  ) {
    const digest = requestDigest('POST /mobile_push/test_notification', { token });
    await this.sendTest.execute(caller, {
      token,
      once: key === undefined ? null : { key, digest },
    });
  }
}
