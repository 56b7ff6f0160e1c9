import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#platform/contracts';
import { IdempotencyKeyTrimmer, requestDigest } from '#platform/idempotency';
import { RateLimits } from '#platform/rate-limits';
import { TEST_NOTIFICATIONS, type TestNotifications } from './test-notifications.js';

/** Part of the digest: separates this endpoint from others with the same idempotency key. */
const NAME = 'POST /mobile_push/test_notification';

/** Sends the tests that apps ask for, within the limit of their account. Each device counts. */
@Injectable()
export class TestNotificationSender {
  constructor(
    @Inject(TEST_NOTIFICATIONS) private readonly tests: TestNotifications,
    private readonly limits: RateLimits,
    private readonly keyTrimmer: IdempotencyKeyTrimmer,
  ) {}

  /** To the device with this token, or to all devices of the caller. Rejects with ApiError. */
  async send(
    caller: Caller,
    { token, key }: { readonly token: string | undefined; readonly key: string | undefined },
  ): Promise<void> {
    const requestKey = key === undefined ? null : { key, digest: requestDigest(NAME, { token }) };
    await this.#charged(caller, () => this.tests.send(caller, { token, requestKey }));
    if (requestKey !== null) void this.keyTrimmer.trimOccasionally(caller.userId);
  }

  /** To one or all client devices of the caller. Rejects with ApiError. */
  async sendEncrypted(caller: Caller, deviceId: number | null): Promise<void> {
    await this.#charged(caller, () => this.tests.sendEncrypted(caller, deviceId));
  }

  /** The number of devices is known afterwards: an exceeded limit affects only the next request. */
  async #charged(caller: Caller, send: () => Promise<number>): Promise<void> {
    await this.#charge(caller, 1);
    const devices = await send();
    if (devices > 1) await this.#charge(caller, devices - 1).catch(ignoreRefusal);
  }

  async #charge({ userId }: Caller, devices: number): Promise<void> {
    await this.limits.charge('test-notification', String(userId), { calls: devices });
  }
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
}
