import { Controller } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#edge';
import { requestDigest, TrimKeys } from '#idempotency';
import { SendTestNotification } from '#push';
import { RateLimits } from '#rate-limits';
import { sendTestNotification } from './test-notification.schema.js';

/** Tells its requests from those of other endpoints that had the same key. */
const NAME = 'POST /mobile_push/test_notification';

@Controller()
export class TestNotificationController {
  constructor(
    private readonly sendTest: SendTestNotification,
    private readonly limits: RateLimits,
    private readonly trimKeys: TrimKeys,
  ) {}

  @Endpoint(sendTestNotification)
  async send(
    @SignedIn() caller: Caller,
    @Parameters() { token, 'Idempotency-Key': key }: ParametersOf<typeof sendTestNotification>,
  ) {
    await this.#charge(caller, 1);
    const once = key === undefined ? null : { key, digest: requestDigest(NAME, { token }) };
    const devices = await this.sendTest.execute(caller, { token, once });
    // It was accepted: what it is too much for is the next one.
    if (devices > 1) await this.#charge(caller, devices - 1).catch(ignoreRefusal);
    if (once !== null) void this.trimKeys.execute(caller.userId);
  }

  async #charge({ userId }: Caller, devices: number): Promise<void> {
    await this.limits.charge('test-notification', String(userId), undefined, devices);
  }
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
}
