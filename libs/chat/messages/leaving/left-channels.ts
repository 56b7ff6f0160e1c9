import { Injectable, Logger } from '@nestjs/common';
import type { ChannelAccounts, SubscriptionHook } from '#chat/channels';
import { LeasedTask, PeriodicService } from '#platform/core';
import { Database, type Transaction } from '#platform/database';
import { ReadMessagesService } from '../flags/read-messages.service.js';
import { type ChannelDeparture, LeftChannelRepository } from './left-channel.repository.js';

const PERIOD_MS = 1000;

/** The rows that a process takes at once. */
const BATCH = 50;

/** Longer than a batch takes. After it, another process continues the work of one that died. */
const LEASE_MS = 30_000;

/**
 * Marks the messages of channels as read for accounts that have left them. The transaction that ends a subscription stores
 * a row; every gateway looks for rows once a second. Until then, registrations leave the messages out.
 */
@Injectable()
export class LeftChannels extends PeriodicService implements SubscriptionHook {
  protected readonly task = new LeasedTask<ChannelDeparture>({
    periodMs: PERIOD_MS,
    batch: BATCH,
    lease: (most) => this.left.lease(most, LEASE_MS),
    handle: (due) => this.#markAll(due),
    failure: 'Messages of left channels were not marked as read',
    logger: new Logger(LeftChannels.name),
  });

  constructor(
    private readonly left: LeftChannelRepository,
    private readonly readMessages: ReadMessagesService,
    private readonly database: Database,
  ) {
    super();
  }

  async begun(transaction: Transaction, subscribers: readonly ChannelAccounts[]): Promise<void> {
    await this.left.limit(transaction, subscribers);
  }

  async ended(transaction: Transaction, former: readonly ChannelAccounts[]): Promise<void> {
    await this.left.add(transaction, former);
  }

  async #markAll(due: readonly ChannelDeparture[]): Promise<void> {
    await this.left.awaitMessages([...new Set(due.map(({ channelId }) => channelId))]);
    for (const one of due) await this.#mark(one);
  }

  /** In slices that are committed one by one. The last one removes the row. */
  async #mark(left: ChannelDeparture): Promise<void> {
    let after: number | null = 0;
    while (after !== null && !this.task.isStopping) {
      const last: number = after;
      after = await this.database.transaction((transaction) =>
        this.#markSlice(transaction, left, last),
      );
    }
  }

  /** Resolves with the last message of the slice; null if nothing is left. */
  async #markSlice(
    transaction: Transaction,
    left: ChannelDeparture,
    after: number,
  ): Promise<number | null> {
    const { userId, channelId } = left;
    const messages = await this.left.lock(transaction, left);
    if (messages === null) return null;
    // If the account has subscribed again, the bound excludes the newer messages.
    const { upTo } = messages;
    const range = { of: { channelId }, after, ...(upTo !== null && { upTo }) };
    const rest = await this.readMessages.markSlice(transaction, userId, range);
    if (rest?.after !== undefined) return rest.after;
    await this.left.remove(transaction, left);
    return null;
  }
}
