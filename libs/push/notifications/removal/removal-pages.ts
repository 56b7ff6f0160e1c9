import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { slicesOf } from '#platform/core';
import type { Transaction } from '#platform/database';
import { JobQueues } from '#platform/queue';
import type { NewJob, PushJobs } from '#push/jobs';
import { PAGE_RECIPIENTS } from '../fan-out/message-fan-out.job.js';
import type { AcceptOptions, Removal } from '../message-notification.repository.js';
import { RemovalPageRepository } from './removal-page.repository.js';

/** A page that waits for this time may have lost its job. */
const GRACE_PERIOD_MS = 3_000;
const MAX_PER_SWEEP = 500;

/**
 * Stores removals for many accounts, which a worker accepts in pages, and adds the jobs. A job is only a wake-up: `sweep` adds
 * lost ones again.
 */
@Injectable()
export class RemovalPages {
  readonly #logger = new Logger(RemovalPages.name);

  constructor(
    private readonly pages: RemovalPageRepository,
    private readonly queues: JobQueues<PushJobs>,
  ) {}

  /** Stores removals for accounts of one organisation, in ascending order; the job is added after the commit. */
  async add(
    transaction: Transaction,
    removals: readonly Removal[],
    { traceParent }: Pick<AcceptOptions, 'traceParent'>,
  ): Promise<void> {
    const pages = slicesOf(removals, PAGE_RECIPIENTS).map((page) =>
      page.map(({ userId, content: { messageIds } }) => [userId, messageIds] as const),
    );
    const realmId = await this.pages.add(transaction, pages, traceParent);
    if (realmId === null) return;
    const job = jobFor(realmId, `removal-${randomUUID()}`);
    transaction.afterCommit(() => void this.#enqueue([job]));
  }

  /** Adds jobs, with ids of their own, for organisations whose pages wait. Rejects when PostgreSQL is down. */
  async sweep(): Promise<void> {
    const realmIds = await this.pages.waiting(GRACE_PERIOD_MS, MAX_PER_SWEEP);
    await this.#enqueue(realmIds.map((realmId) => jobFor(realmId, `removals-${realmId}`)));
  }

  /** Never rejects. */
  async #enqueue(jobs: readonly NewJob<'message.remove'>[]): Promise<void> {
    try {
      await this.queues.enqueueMany('push-control', jobs);
    } catch (error) {
      this.#logger.debug(`Removals wait for the sweeper: ${String(error)}`);
    }
  }
}

const jobFor = (realmId: number, jobId: string): NewJob<'message.remove'> => ({
  name: 'message.remove',
  jobId,
  payload: { v: 1, realmId },
});
