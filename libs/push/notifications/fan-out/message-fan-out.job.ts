import { Injectable, Logger, Optional } from '@nestjs/common';
import type { JobHandler, JobPayload } from '#push/jobs';
import { type Clock, systemClock } from '#platform/core';
import { Database, type Transaction } from '#platform/database';
import type { JobOutcome } from '#platform/queue';
import { type AcceptedDeliveries, devicesOf } from '../acceptance.repository.js';
import { DeliveryQueue } from '../delivery-queue.js';
import { MessageNotificationRepository } from '../message-notification.repository.js';
import { type FanOut, MessageFanOutRepository } from './message-fan-out.repository.js';

/** The recipients of one transaction, which blocks new messages of the channel. */
export const PAGE_RECIPIENTS = 1000;

/** The recipients that are read at once, for many pages. */
const RECIPIENTS_AHEAD = 50_000;

/** Then other jobs of the queue have their turn. */
const TURN_MS = 1000;

/**
 * The next recipients of a message. Reading them costs as much as all recipients of the message, so that it is done for many pages
 * at once. A message that has come to another channel has others, and an edited one begins with its first recipient again.
 */
class RecipientsAhead {
  #of = '';
  /** The last recipient of the page before. */
  #upTo = 0;
  /** In ascending order. */
  #userIds: readonly number[] = [];
  /** Whether the message has no further ones. */
  #areAll = false;

  constructor(private readonly fanOuts: MessageFanOutRepository) {}

  /** The recipients of the next page, in ascending order; fewer than PAGE_RECIPIENTS in the last one. */
  async nextPage(transaction: Transaction, fanOut: FanOut): Promise<number[]> {
    const of = `${fanOut.messageId} in ${fanOut.message?.channelId}`;
    const isNext = of === this.#of && fanOut.afterUserId === this.#upTo;
    if (!isNext || (!this.#areAll && this.#userIds.length < PAGE_RECIPIENTS)) {
      this.#userIds = await this.fanOuts.recipientsAfter(transaction, fanOut, RECIPIENTS_AHEAD);
      this.#areAll = this.#userIds.length < RECIPIENTS_AHEAD;
      this.#of = of;
    }
    const page = this.#userIds.slice(0, PAGE_RECIPIENTS);
    this.#userIds = this.#userIds.slice(PAGE_RECIPIENTS);
    this.#upTo = page.at(-1) ?? 0;
    return page;
  }
}

/** A page of a fan-out. */
interface NotifiedPage {
  readonly accepted: readonly AcceptedDeliveries[];
  /** The devices of earlier pages. */
  readonly devicesBefore: number;
}

/**
 * Notifies the recipients of messages with many recipients, in pages: the messages of a channel one after the other, each
 * in the order of its recipients. A page and the progress of the fan-out are stored together, so that a killed worker
 * neither skips nor repeats a recipient.
 */
@Injectable()
export class MessageFanOutJob implements JobHandler<'message.notify'> {
  readonly jobName = 'message.notify';
  readonly #logger = new Logger(MessageFanOutJob.name);

  constructor(
    private readonly database: Database,
    private readonly fanOuts: MessageFanOutRepository,
    private readonly notifications: MessageNotificationRepository,
    private readonly queue: DeliveryQueue,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /** Rejects only when PostgreSQL is down. */
  async handle({ channelId }: JobPayload<'message.notify'>): Promise<JobOutcome> {
    const endsAt = this.clock() + TURN_MS;
    const ahead = new RecipientsAhead(this.fanOuts);
    while (await this.#notifyNextPage(channelId, ahead)) {
      const now = this.clock();
      if (now >= endsAt) return { retryAt: now };
    }
    return {};
  }

  /** Resolves with false if no message of the channel waits. */
  async #notifyNextPage(channelId: number, ahead: RecipientsAhead): Promise<boolean> {
    const page = await this.database.transaction((transaction) =>
      this.#acceptPage(transaction, channelId, ahead),
    );
    if (page === null) return false;
    // The sweeper finds deliveries without a job.
    await this.queue.enqueue(page.accepted, { devicesBefore: page.devicesBefore });
    return true;
  }

  async #acceptPage(
    transaction: Transaction,
    channelId: number,
    ahead: RecipientsAhead,
  ): Promise<NotifiedPage | null> {
    const fanOut = await this.fanOuts.lockFirst(transaction, channelId);
    if (fanOut === null) return null;
    if (fanOut === 'moved') return { accepted: [], devicesBefore: 0 };
    const accepted = await this.#accept(transaction, fanOut, ahead);
    return { accepted, devicesBefore: fanOut.devices };
  }

  async #accept(
    transaction: Transaction,
    fanOut: FanOut,
    ahead: RecipientsAhead,
  ): Promise<AcceptedDeliveries[]> {
    const { message, messageId, timeToLiveMs, traceParent } = fanOut;
    if (message === null || timeToLiveMs <= 0) {
      if (message !== null) {
        this.#logger.warn(
          `Message ${messageId} has waited too long: its other recipients get no notification`,
        );
      }
      await this.fanOuts.end(transaction, messageId);
      return [];
    }
    const userIds = await ahead.nextPage(transaction, fanOut);
    const options = { timeToLiveMs, traceParent };
    const accepted = await this.notifications.notify(transaction, message, options, userIds);
    const upTo = userIds.at(-1);
    if (upTo === undefined || userIds.length < PAGE_RECIPIENTS) {
      await this.fanOuts.end(transaction, messageId);
    } else {
      await this.fanOuts.advance(transaction, messageId, { upTo, devices: devicesOf(accepted) });
    }
    return accepted;
  }
}
