import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock, uuidV7 } from '#core';
import { AcceptanceRepository } from '../accept/acceptance.repository.js';
import { WakeDeliveries } from '../accept/wake-deliveries.js';
import { OperatedAccountRepository } from './operated-account.repository.js';

/** Somebody looks on: what has not arrived by then is of no use to them. */
const LIFETIME_MS = 600_000;

/** A test that is on its way. */
export interface SentTest {
  readonly notificationId: string;
  readonly deviceIds: readonly number[];
}

/** Sends a test notification to anybody's devices, for an operator. */
@Injectable()
export class SendTestTo {
  constructor(
    private readonly accounts: OperatedAccountRepository,
    private readonly acceptances: AcceptanceRepository,
    private readonly wake: WakeDeliveries,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * To all devices of the account that its present key has registered, or to the one that is named.
   * Resolves once that is kept, which is before it is sent: FindNotifications tells what comes of it in
   * the ten minutes that it has. Null, with nothing sent, when there is no such device.
   */
  async execute(userId: number, deviceId?: number): Promise<SentTest | null> {
    const account = await this.accounts.find(userId, deviceId ?? null);
    if (account === null || (deviceId !== undefined && account.token === null)) return null;
    const now = this.clock();
    const notificationId = uuidV7(now);
    const acceptance = await this.acceptances.accept({
      id: notificationId,
      userId,
      keyGeneration: account.keyGeneration,
      token: account.token,
      content: { kind: 'test', time: Math.floor(now / 1000) },
      expiresAt: now + LIFETIME_MS,
      traceParent: null,
      once: null,
    });
    if (acceptance.kind !== 'accepted') return null;
    await this.wake.execute(acceptance.deliveries);
    return {
      notificationId,
      deviceIds: acceptance.deliveries.flatMap(({ deviceIds }) => deviceIds),
    };
  }
}
