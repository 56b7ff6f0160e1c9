import { Inject, Injectable, Optional } from '@nestjs/common';
import { type AccountKey, ApiError, requestErrors } from '#platform/contracts';
import { type Clock, systemClock, uuidV7 } from '#platform/core';
import { PubSub, type Subscription } from '#platform/redis';
import { currentTraceParent } from '#platform/telemetry';
import { clientDeviceErrors, pushErrors } from '#push/devices';
import {
  type Acceptance,
  AcceptanceRepository,
  type AcceptedDeliveries,
  devicesOf,
  type NotifiedDevices,
  type RequestKey,
} from '../acceptance.repository.js';
import { DeliveryQueue } from '../delivery-queue.js';
import {
  type DeliveryResult,
  resultTopic,
  TIME_TO_LIVE,
  type TimeToLive,
} from '../notification.js';
import type {
  EncryptedTests,
  PlainTests,
  TestNotificationOptions,
} from './test-notifications.service.js';

/** DI token: how long to wait for a provider's answer about one device, in milliseconds. */
export const TEST_WAIT_MS = Symbol('TestWaitMs');

/** Sends test notifications of a server that sends to Apple and Google itself. */
@Injectable()
export class DirectTestService implements PlainTests, EncryptedTests {
  constructor(
    private readonly acceptances: AcceptanceRepository,
    private readonly queue: DeliveryQueue,
    private readonly pubSub: PubSub,
    @Optional() private readonly clock: Clock = systemClock,
    @Inject(TIME_TO_LIVE) private readonly timeToLive: TimeToLive,
    @Inject(TEST_WAIT_MS) private readonly waitMs: number,
  ) {}

  /**
   * Without a token: notifies all devices, and resolves when PostgreSQL has the notification. With one:
   * resolves when the provider accepted the push, or has not refused it in time. Rejects with ApiError when
   * the token is not the caller's, when the provider reports it dead, or when the key of the request belongs
   * to a different request. A repeated request gets the same answer and sends no second notification.
   *
   * Resolves with the number of devices that it was accepted for; 0 for a repetition.
   */
  async send(caller: AccountKey, options: TestNotificationOptions = {}): Promise<number> {
    const { token } = options;
    // No stored token contains NUL, and PostgreSQL rejects it in a parameter.
    if (token?.includes('\0')) throw new ApiError(pushErrors.deviceNotRecognized);
    const id = uuidV7(this.clock());
    const to = { kind: 'plain', token: token ?? null } as const;
    const acceptance = await this.#accept(id, caller, to, options.requestKey);
    if (acceptance.kind === 'key_reused') throw new ApiError(requestErrors.idempotencyKeyReused);
    if (token === undefined) {
      if (acceptance.kind !== 'accepted') return 0;
      void this.queue.enqueue(acceptance.deliveries);
      return devicesOf(acceptance.deliveries);
    }
    if (acceptance.kind === 'no_device') throw new ApiError(pushErrors.deviceNotRecognized);
    const isDead =
      acceptance.kind === 'accepted'
        ? await this.#isTokenDead(id, acceptance.deliveries)
        : await this.#isTokenDead(acceptance.notificationId, []);
    if (isDead) throw new ApiError(pushErrors.deviceNotRecognizedByProvider);
    return acceptance.kind === 'accepted' ? devicesOf(acceptance.deliveries) : 0;
  }

  /**
   * Notifies one or all client devices of the caller; resolves with their number when PostgreSQL has the notification.
   * Rejects with `noActivePushDevice` if none of them has a token.
   */
  async sendEncrypted(caller: AccountKey, deviceId: number | null): Promise<number> {
    const id = uuidV7(this.clock());
    const acceptance = await this.#accept(id, caller, { kind: 'client', deviceId });
    if (acceptance.kind !== 'accepted') throw new ApiError(clientDeviceErrors.noActivePushDevice);
    void this.queue.enqueue(acceptance.deliveries);
    return devicesOf(acceptance.deliveries);
  }

  #accept(
    id: string,
    caller: AccountKey,
    to: NotifiedDevices,
    requestKey: RequestKey | null = null,
  ): Promise<Acceptance> {
    return this.acceptances.accept({
      id,
      userId: caller.userId,
      keyGeneration: caller.keyGeneration,
      to,
      content: { kind: 'test', time: Math.floor(this.clock() / 1000) },
      timeToLiveMs: this.timeToLive.test,
      traceParent: currentTraceParent(),
      requestKey,
    });
  }

  /** Without deliveries it only waits: an earlier request has enqueued the notification. */
  async #isTokenDead(id: string, deliveries: readonly AcceptedDeliveries[]): Promise<boolean> {
    const results = await this.#subscribe(id);
    try {
      if (!(await this.queue.enqueue(deliveries, { isAwaited: true }))) return false;
      if (deliveries.length > 0 || (await this.#isPending(id))) {
        const [result] = (await results?.receive(1, this.waitMs)) ?? [];
        if (result !== undefined) return hasDeadToken(result);
      }
      // A published result may be lost; the ledger has it.
      return (await this.acceptances.statesOf(id)).includes('dead_token');
    } finally {
      results?.close();
    }
  }

  async #isPending(id: string): Promise<boolean> {
    return (await this.acceptances.statesOf(id)).includes('pending');
  }

  async #subscribe(id: string): Promise<Subscription<DeliveryResult> | null> {
    try {
      return await this.pubSub.subscribe(resultTopic(id));
    } catch {
      // The ledger is read instead.
      return null;
    }
  }
}

const hasDeadToken = ({ states }: DeliveryResult): boolean =>
  Object.values(states).includes('dead_token');
