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

/** Then other jobs of the queue have their turn. */
const TURN_MS = 1000;

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
    while (await this.#notifyNextPage(channelId)) {
      const now = this.clock();
      if (now >= endsAt) return { retryAt: now };
    }
    return {};
  }

  /** Resolves with false if no message of the channel waits. */
  async #notifyNextPage(channelId: number): Promise<boolean> {
    const page = await this.database.transaction((transaction) =>
      this.#acceptPage(transaction, channelId),
    );
    if (page === null) return false;
    // The sweeper finds deliveries without a job.
    await this.queue.enqueue(page.accepted, { devicesBefore: page.devicesBefore });
    return true;
  }

  async #acceptPage(transaction: Transaction, channelId: number): Promise<NotifiedPage | null> {
    const fanOut = await this.fanOuts.lockFirst(transaction, channelId);
    if (fanOut === null) return null;
    if (fanOut === 'moved') return { accepted: [], devicesBefore: 0 };
    const accepted = await this.#accept(transaction, fanOut);
    return { accepted, devicesBefore: fanOut.devices };
  }

  async #accept(transaction: Transaction, fanOut: FanOut): Promise<AcceptedDeliveries[]> {
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
    const page = await this.fanOuts.nextPage(transaction, fanOut, PAGE_RECIPIENTS);
    const options = { timeToLiveMs, traceParent };
    const accepted = await this.notifications.notify(transaction, message, options, page);
    if (page.recipients < PAGE_RECIPIENTS) await this.fanOuts.end(transaction, messageId);
    else {
      const progress = { upTo: page.upTo, devices: devicesOf(accepted) };
      await this.fanOuts.advance(transaction, messageId, progress);
    }
    return accepted;
  }
}
