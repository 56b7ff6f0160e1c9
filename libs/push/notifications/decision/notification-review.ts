import { Inject, Injectable } from '@nestjs/common';
import type { ScreenRead } from '#chat/messages';
import type { Transaction } from '#platform/database';
import { currentTraceParent } from '#platform/telemetry';
import type { AcceptedDeliveries } from '../acceptance.repository.js';
import { DeferralRepository } from '../deferrals/deferral.repository.js';
import { PAGE_RECIPIENTS } from '../fan-out/message-fan-out.job.js';
import { MessageNotificationRepository } from '../message-notification.repository.js';
import { TIME_TO_LIVE, type TimeToLive } from '../notification.js';
import { RemovalPages } from '../removal/removal-pages.js';
import { removalsOf } from '../removal/removals.rules.js';
import { type ConcernedMessages, DecidedAgainRepository } from './decided-again.repository.js';

/** Decides again about messages that were sent earlier, after a change of the facts that decide. */
@Injectable()
export class NotificationReview {
  constructor(
    private readonly notifications: MessageNotificationRepository,
    private readonly decidedAgain: DecidedAgainRepository,
    private readonly deferrals: DeferralRepository,
    private readonly removalPages: RemovalPages,
    @Inject(TIME_TO_LIVE) private readonly timeToLive: TimeToLive,
  ) {}

  /** Takes back what the accounts do not want any more; defers the decision about what they want now. */
  async review(
    transaction: Transaction,
    concerned: ConcernedMessages,
  ): Promise<AcceptedDeliveries[]> {
    const removed = await this.takeBack(transaction, concerned);
    const wanted = await this.decidedAgain.wantedFrom(transaction, concerned);
    await this.deferrals.add(transaction, wanted);
    return removed;
  }

  /** Has the messages that an account holds back decided again: its settings have changed. */
  async release(transaction: Transaction, userId: number): Promise<void> {
    await this.deferrals.release(transaction, userId);
  }

  /** Marks the messages as not pushed that the accounts do not want any more, and accepts their removals from the phones. */
  async takeBack(
    transaction: Transaction,
    concerned: ConcernedMessages,
  ): Promise<AcceptedDeliveries[]> {
    return this.remove(transaction, await this.decidedAgain.takeBack(transaction, concerned));
  }

  /**
   * Accepts the removals of messages from the phones of their readers. Of more accounts than a page, a worker accepts them: the
   * transaction mostly locks a channel, which would wait for all phones. `areRead`: no reminder of them is needed any more.
   */
  async remove(
    transaction: Transaction,
    messages: readonly ScreenRead[],
    { areRead = false }: { readonly areRead?: boolean } = {},
  ): Promise<AcceptedDeliveries[]> {
    const trace = currentTraceParent();
    const options = { timeToLiveMs: this.timeToLive.remove, traceParent: trace, areRead };
    const removals = removalsOf(messages);
    if (removals.length <= PAGE_RECIPIENTS) {
      return removals.length === 0 ? [] : this.notifications.remove(transaction, removals, options);
    }
    await this.removalPages.add(transaction, removals, options);
    return [];
  }
}
