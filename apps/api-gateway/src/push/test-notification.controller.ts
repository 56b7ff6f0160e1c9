import { Controller } from '@nestjs/common';
import type { Caller } from '#contracts';
import { CountDevices } from '#devices';
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
    private readonly countDevices: CountDevices,
    private readonly limits: RateLimits,
    private readonly trimKeys: TrimKeys,
  ) {}

  @Endpoint(sendTestNotification)
  async send(
    @SignedIn() caller: Caller,
    @Parameters() { token, 'Idempotency-Key': key }: ParametersOf<typeof sendTestNotification>,
  ) {
    const devices = token === undefined ? await this.countDevices.execute(caller) : 1;
    await this.#charge(caller, devices);
    const once = key === undefined ? null : { key, digest: requestDigest(NAME, { token }) };
    await this.sendTest.execute(caller, { token, once });
    if (once !== null) void this.trimKeys.execute(caller.userId);
  }

  /** A test for no device costs nothing. */
  async #charge({ userId }: Caller, devices: number): Promise<void> {
    if (devices === 0) return;
    await this.limits.charge('test-notification', String(userId), undefined, devices);
  }
}
