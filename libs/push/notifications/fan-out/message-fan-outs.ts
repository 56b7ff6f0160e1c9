import { Injectable, Logger } from '@nestjs/common';
import type { Transaction } from '#platform/database';
import { JobQueues } from '#platform/queue';
import type { AcceptOptions } from '../message-notification.repository.js';
import {
  type ChannelMessage,
  type FanOutKey,
  MessageFanOutRepository,
} from './message-fan-out.repository.js';

/** A fan-out without progress for this time may have lost its job. */
const PATIENCE_MS = 3_000;
const MAX_PER_SWEEP = 500;

/**
 * Stores the messages whose recipients a worker notifies in pages, and adds the jobs. A job is only a wake-up: `sweep` adds
 * lost ones again.
 */
@Injectable()
export class MessageFanOuts {
  readonly #logger = new Logger(MessageFanOuts.name);

  constructor(
    private readonly fanOuts: MessageFanOutRepository,
    private readonly queues: JobQueues,
  ) {}

  /** Stores a fan-out with its message. Resolves with a function that adds the job: see MessageNotifier. */
  async add(
    transaction: Transaction,
    message: ChannelMessage,
    options: AcceptOptions,
  ): Promise<() => void> {
    await this.fanOuts.add(transaction, message, options);
    const { id: messageId, channelId } = message;
    return () => void this.#enqueue([{ messageId, channelId }]);
  }

  /** Adds the jobs of fan-outs that wait. Rejects when PostgreSQL is down. */
  async sweep(): Promise<void> {
    await this.#enqueue(await this.fanOuts.waiting(PATIENCE_MS, MAX_PER_SWEEP));
  }

  /** Never rejects. */
  async #enqueue(keys: readonly FanOutKey[]): Promise<void> {
    const jobs = keys.map(({ messageId, channelId }) => ({
      name: 'message.notify' as const,
      jobId: `message-${messageId}`,
      payload: { v: 1 as const, channelId },
    }));
    try {
      await this.queues.enqueueMany('push-control', jobs);
    } catch (error) {
      this.#logger.debug(`Messages wait for the sweeper: ${String(error)}`);
    }
  }
}
