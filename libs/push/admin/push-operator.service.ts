import { Injectable, Optional } from '@nestjs/common';
import { type Clock, systemClock, uuidV7 } from '#platform/core';
import { AcceptanceRepository, DeliveryQueue, devicesOf } from '#push/notifications';
import { DeadLetterRepository } from './dead-letter.repository.js';
import { conditionsOf, type DeadLetterChoice } from './dead-letter.rules.js';
import { OperatedAccountRepository } from './operated-account.repository.js';

const MAX_REQUEUED_PER_STATEMENT = 500;

/** An operator waits for the result of a test: later it is of no use. */
const TEST_LIFETIME_MS = 600_000;

/** A test that was accepted. */
export interface SentTest {
  readonly notificationId: string;
  readonly deviceIds: readonly number[];
}

/** The commands of an operator that need the queues. */
@Injectable()
export class PushOperatorService {
  constructor(
    private readonly deliveryQueue: DeliveryQueue,
    private readonly letters: DeadLetterRepository,
    private readonly accounts: OperatedAccountRepository,
    private readonly acceptances: AcceptanceRepository,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /**
   * Makes dead letters deliveries again: with no attempt made, due now, with a new time to live. Resolves with
   * how many. A notification that the ledger has removed is restored from its copy in the letter; a device
   * that was removed is noticed by the claim.
   *
   * When it is interrupted, some are requeued, and it may be repeated.
   */
  async requeueDeadLetters(choice: DeadLetterChoice): Promise<number> {
    // A delivery that is rejected again meanwhile is not requeued a second time.
    const filter = { ...conditionsOf(choice), until: await this.letters.now() };
    let requeued = 0;
    for (;;) {
      const accepted = await this.letters.requeue(filter, MAX_REQUEUED_PER_STATEMENT);
      if (accepted.length === 0) return requeued;
      await this.deliveryQueue.enqueue(accepted);
      requeued += devicesOf(accepted);
    }
  }

  /**
   * Sends a test to all devices of an account's current key, or to the given one. Resolves when it is accepted,
   * which is before it is sent: PushLedgerService finds the result, within ten minutes. Null, with nothing
   * sent, when there is no such device.
   */
  async sendTest(userId: number, deviceId?: number): Promise<SentTest | null> {
    const keyGeneration = await this.accounts.keyGeneration(userId);
    if (keyGeneration === null) return null;
    const now = this.clock();
    const notificationId = uuidV7(now);
    const acceptance = await this.acceptances.accept({
      id: notificationId,
      userId,
      keyGeneration,
      to: { kind: 'all', deviceId: deviceId ?? null },
      content: { kind: 'test', time: Math.floor(now / 1000) },
      timeToLiveMs: TEST_LIFETIME_MS,
      traceParent: null,
      requestKey: null,
    });
    if (acceptance.kind !== 'accepted') return null;
    await this.deliveryQueue.enqueue(acceptance.deliveries);
    return {
      notificationId,
      deviceIds: acceptance.deliveries.flatMap(({ deviceIds }) => deviceIds),
    };
  }
}
