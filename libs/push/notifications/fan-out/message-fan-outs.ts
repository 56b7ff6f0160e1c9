import { Injectable, Logger } from '@nestjs/common';
import type { Transaction } from '#platform/database';
import { JobQueues } from '#platform/queue';
import type { PushJobs, NewJob } from '#push/jobs';
import type { AcceptOptions } from '../message-notification.repository.js';
import { type ChannelMessage, MessageFanOutRepository } from './message-fan-out.repository.js';

/** A fan-out without progress for this time may have lost its job. */
const GRACE_PERIOD_MS = 3_000;
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
    private readonly queues: JobQueues<PushJobs>,
  ) {}

  /** Stores a fan-out with its new or edited message, and adds the job after the commit. */
  async add(
    transaction: Transaction,
    message: ChannelMessage,
    options: AcceptOptions,
  ): Promise<void> {
    const channelId = await this.fanOuts.add(transaction, message, options);
    transaction.afterCommit(() => void this.#enqueue([jobFor(channelId, `message-${message.id}`)]));
  }

  /**
   * Adds jobs for channels whose fan-outs wait. The job of a message can still be in the queue: a killed worker holds it for
   * some seconds, and after failures it waits for its retry. So these have ids of their own. Rejects when PostgreSQL is down.
   */
  async sweep(): Promise<void> {
    const channelIds = await this.fanOuts.waiting(GRACE_PERIOD_MS, MAX_PER_SWEEP);
    await this.#enqueue(channelIds.map((channelId) => jobFor(channelId, `channel-${channelId}`)));
  }

  /** Never rejects. */
  async #enqueue(jobs: readonly NewJob<'message.notify'>[]): Promise<void> {
    try {
      await this.queues.enqueueMany('push-control', jobs);
    } catch (error) {
      this.#logger.debug(`Messages wait for the sweeper: ${String(error)}`);
    }
  }
}

const jobFor = (channelId: number, jobId: string): NewJob<'message.notify'> => ({
  name: 'message.notify',
  jobId,
  payload: { v: 1, channelId },
});
