import { Controller } from '@nestjs/common';
import { ApiError, type Caller } from '#platform/contracts';
import { Endpoint, Parameters, type ParametersOf, SignedIn } from '#platform/http';
import { IdempotencyKeyTrimmer, IdempotentExecutor, requestDigest } from '#platform/idempotency';
import { RateLimits } from '#platform/rate-limits';
import { RelayedEncryptedTestService } from '#push/client-devices';
import { RelayedTestService } from '#push/devices';
import type { RequestKey } from './acceptance.repository.js';
import { sendEncryptedTestNotification, sendTestNotification } from './test-notification.schema.js';
import { TestNotificationService } from './test-notification.service.js';

/** Part of the digest: separates this endpoint from others with the same idempotency key. */
const NAME = 'POST /mobile_push/test_notification';

@Controller()
export class TestNotificationController {
  constructor(
    private readonly sendTest: TestNotificationService,
    private readonly limits: RateLimits,
    private readonly keyTrimmer: IdempotencyKeyTrimmer,
    private readonly executor: IdempotentExecutor,
    private readonly relayed: RelayedTestService,
    private readonly relayedEncrypted: RelayedEncryptedTestService,
  ) {}

  @Endpoint(sendTestNotification)
  async send(
    @SignedIn() caller: Caller,
    @Parameters() { token, 'Idempotency-Key': key }: ParametersOf<typeof sendTestNotification>,
  ) {
    await this.#charge(caller, 1);
    const requestKey = key === undefined ? null : { key, digest: requestDigest(NAME, { token }) };
    const devices = this.relayed.isNeeded
      ? await this.#relay(caller, token, requestKey)
      : await this.sendTest.send(caller, { token, requestKey });
    // The notification is accepted: an exceeded limit affects only the next request.
    if (devices > 1) await this.#charge(caller, devices - 1).catch(ignoreRefusal);
    if (requestKey !== null) void this.keyTrimmer.trimOccasionally(caller.userId);
  }

  @Endpoint(sendEncryptedTestNotification)
  async sendEncrypted(
    @SignedIn() caller: Caller,
    @Parameters() { device_id }: ParametersOf<typeof sendEncryptedTestNotification>,
  ) {
    await this.#charge(caller, 1);
    const sender = this.relayedEncrypted.isNeeded ? this.relayedEncrypted : null;
    const chosen = device_id ?? null;
    const devices = await (sender === null
      ? this.sendTest.sendEncrypted(caller, chosen)
      : sender.send(caller, chosen));
    if (devices > 1) await this.#charge(caller, devices - 1).catch(ignoreRefusal);
  }

  /** The key is stored afterwards: no transaction waits for the push service. */
  async #relay(
    caller: Caller,
    token: string | undefined,
    requestKey: RequestKey | null,
  ): Promise<number> {
    const request = requestKey && { ...requestKey, userId: caller.userId };
    if ((await this.executor.findResult(request)) !== null) return 0;
    const devices = await this.relayed.send(caller, token);
    await this.executor.run(request, () => Promise.resolve({}));
    return devices;
  }

  async #charge({ userId }: Caller, devices: number): Promise<void> {
    await this.limits.charge('test-notification', String(userId), { calls: devices });
  }
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ApiError)) throw error;
}
