import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#platform/contracts';
import { IdempotencyKeyTrimmer, requestDigest } from '#platform/idempotency';
import { RateLimits } from '#platform/rate-limits';
import type { RequestKey } from '../acceptance.repository.js';
import { SubscriptionTests } from './subscription-tests.js';

/** Part of the digest: separates this endpoint from others with the same idempotency key. */
const NAME = 'POST /mobile_push/test_notification';

/** Options of a test notification. */
export interface TestNotificationOptions {
  /** The only device to notify; all devices of the account when left out. */
  readonly token?: string | undefined;
  /** Recognises a repeated request. */
  readonly requestKey?: RequestKey | null;
}

/** Sends test notifications to the own devices of a caller that get plain text. */
export interface PlainTests {
  /** Resolves with the number of devices; 0 for a repeated request. Rejects with ApiError. */
  send(caller: Caller, options: TestNotificationOptions): Promise<number>;
}

/** Sends them to the own client devices of a caller. */
export interface EncryptedTests {
  /** To one or all client devices; resolves with their number. Rejects with ApiError. */
  sendEncrypted(caller: Caller, deviceId: number | null): Promise<number>;
}

/** DI token of the PlainTests. */
export const PLAIN_TESTS = Symbol('PlainTests');

/** DI token of the EncryptedTests. */
export const ENCRYPTED_TESTS = Symbol('EncryptedTests');

/** Sends the tests that apps ask for, within the limit of their account. Each device counts. */
@Injectable()
export class TestNotificationsService {
  constructor(
    @Inject(PLAIN_TESTS) private readonly plain: PlainTests,
    @Inject(ENCRYPTED_TESTS) private readonly encrypted: EncryptedTests,
    private readonly limits: RateLimits,
    private readonly keyTrimmer: IdempotencyKeyTrimmer,
    private readonly subscriptions: SubscriptionTests,
  ) {}

  /** To the device with this token, or to all devices of the caller. Rejects with ApiError. */
  async send(
    caller: Caller,
    { token, key }: { readonly token: string | undefined; readonly key: string | undefined },
  ): Promise<void> {
    const requestKey = key === undefined ? null : { key, digest: requestDigest(NAME, { token }) };
    await this.#charged(caller, () => this.plain.send(caller, { token, requestKey }));
    if (requestKey !== null) void this.keyTrimmer.trimOccasionally(caller.userId);
  }

  /** To one or all client devices of the caller. Rejects with ApiError. */
  async sendEncrypted(caller: Caller, deviceId: number | null): Promise<void> {
    await this.#charged(caller, () => this.encrypted.sendEncrypted(caller, deviceId));
  }

  /** To an active subscription of Web Push of the caller. Rejects with ApiError. */
  async sendToSubscription(caller: Caller, id: number): Promise<void> {
    await this.#charge(caller, 1);
    await this.subscriptions.send(caller, id);
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
