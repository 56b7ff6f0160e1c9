import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '#contracts';
import { CLOCK, type Clock, uuidV7 } from '#core';
import { type Listener, Messages } from '#queue';
import { currentTraceParent } from '#telemetry';
import { type DeliverResult, heardOf } from '../deliver/heard-of.js';
import { TIME_TO_LIVE, type TimeToLive } from '../time-to-live.js';
import type { AcceptedDeliveries } from './accepted-deliveries.js';
import { type Acceptance, AcceptanceRepository, type OnceOnly } from './acceptance.repository.js';
import { WakeDeliveries } from './wake-deliveries.js';

/** DI token: how long to wait for a provider's answer about one device, in milliseconds. */
export const TEST_WAIT_MS = Symbol('TestWaitMs');

/** Who asks: the account, and which of its API keys signed in. */
export interface NotificationCaller {
  readonly userId: number;
  readonly keyGeneration: number;
}

/** What of a test may be said. */
export interface TestWishes {
  /** The one device that it is for. */
  readonly token?: string | undefined;
  /** Tells a repetition of the request. */
  readonly once?: OnceOnly | null;
}

/** Sends a test notification to the caller's own devices. */
@Injectable()
export class SendTestNotification {
  constructor(
    private readonly acceptances: AcceptanceRepository,
    private readonly wake: WakeDeliveries,
    private readonly messages: Messages,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(TIME_TO_LIVE) private readonly timeToLive: TimeToLive,
    @Inject(TEST_WAIT_MS) private readonly waitMs: number,
  ) {}

  /**
   * Without a token: to all devices, and resolves once that is safely kept. With one: resolves when the
   * provider took it, or when it has not said no in time. Rejects with ApiError when the token is not
   * the caller's, when the provider calls it dead, or when the key of the request was another's. A request
   * that is repeated with its key gets the same answer, and notifies nobody again.
   *
   * Resolves with the number of devices that it was accepted for; 0 for a repetition.
   */
  async execute(caller: NotificationCaller, wishes: TestWishes = {}): Promise<number> {
    const { token } = wishes;
    // No stored token holds it, and no statement can ask for it.
    if (token?.includes('\0')) throw new ApiError('deviceNotRecognized');
    const id = uuidV7(this.clock());
    const acceptance = await this.#accept(id, caller, wishes);
    if (acceptance.kind === 'key_reused') throw new ApiError('idempotencyKeyReused');
    if (token === undefined) {
      if (acceptance.kind !== 'accepted') return 0;
      void this.wake.execute(acceptance.deliveries);
      return devicesOf(acceptance.deliveries);
    }
    if (acceptance.kind === 'no_device') throw new ApiError('deviceNotRecognized');
    const isDead =
      acceptance.kind === 'accepted'
        ? await this.#turnsOutDead(id, acceptance.deliveries)
        : await this.#turnsOutDead(acceptance.notificationId, []);
    if (isDead) throw new ApiError('deviceNotRecognizedByProvider');
    return acceptance.kind === 'accepted' ? devicesOf(acceptance.deliveries) : 0;
  }

  #accept(id: string, caller: NotificationCaller, wishes: TestWishes): Promise<Acceptance> {
    const now = this.clock();
    return this.acceptances.accept({
      id,
      userId: caller.userId,
      keyGeneration: caller.keyGeneration,
      token: wishes.token ?? null,
      content: { kind: 'test', time: Math.floor(now / 1000) },
      expiresAt: now + this.timeToLive.test,
      traceParent: currentTraceParent(),
      once: wishes.once ?? null,
    });
  }

  /** Also of a notification that another request had accepted; then there is nobody to wake. */
  async #turnsOutDead(id: string, deliveries: readonly AcceptedDeliveries[]): Promise<boolean> {
    const listener = await this.#listenTo(id);
    try {
      if (!(await this.wake.execute(deliveries, true))) return false;
      if (deliveries.length > 0 || (await this.#isPending(id))) {
        const [heard] = (await listener?.hear(1, this.waitMs)) ?? [];
        if (heard !== undefined) return hasDeadToken(heard);
      }
      // Word of mouth may be lost; the ledger is not.
      return (await this.acceptances.statesOf(id)).includes('dead_token');
    } finally {
      listener?.close();
    }
  }

  async #isPending(id: string): Promise<boolean> {
    return (await this.acceptances.statesOf(id)).includes('pending');
  }

  async #listenTo(id: string): Promise<Listener<DeliverResult> | null> {
    try {
      return await this.messages.listen(heardOf(id));
    } catch {
      // The ledger is asked instead.
      return null;
    }
  }
}

const devicesOf = (deliveries: readonly AcceptedDeliveries[]): number =>
  deliveries.reduce((sum, { deviceIds }) => sum + deviceIds.length, 0);

const hasDeadToken = ({ states }: DeliverResult): boolean =>
  Object.values(states).includes('dead_token');
