import { Injectable } from '@nestjs/common';
import { ChannelActivityEvents } from '#chat/channels';
import type { Transaction } from '#platform/database';
import { FirstMessageRepository } from './first-message.repository.js';

/** Keeps the first messages of channels, and adds the events of their changes. */
@Injectable()
export class FirstMessages {
  constructor(
    private readonly repository: FirstMessageRepository,
    private readonly events: ChannelActivityEvents,
  ) {}

  /** Stores the first messages of locked channels after messages were deleted or moved. */
  async refresh(
    transaction: Transaction,
    realmId: number,
    channelIds: readonly number[],
  ): Promise<void> {
    const changed = await this.repository.refresh(transaction, channelIds);
    await this.events.firstMessagesChanged(transaction, realmId, changed);
  }
}
