import { Controller } from '@nestjs/common';
import type { Caller } from '#contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import { requestDigest } from '#idempotency';
import { SendTestNotification } from '#push';
import { sendTestNotification } from './test-notification.schema.js';

/** Tells its requests from those of other endpoints that had the same key. */
const NAME = 'POST /mobile_push/test_notification';

@Controller()
export class TestNotificationController {
  constructor(private readonly sendTest: SendTestNotification) {}

  @Endpoint(sendTestNotification)
  async send(
    @SignedIn() caller: Caller,
    @Parameters() { token, 'Idempotency-Key': key }: ParametersOf<typeof sendTestNotification>,
  ) {
    const once = key === undefined ? null : { key, digest: requestDigest(NAME, { token }) };
    await this.sendTest.execute(caller, { token, once });
  }
}
