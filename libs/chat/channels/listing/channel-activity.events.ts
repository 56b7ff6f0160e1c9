import { Injectable } from '@nestjs/common';
import { EventLog } from '#events/log';
import { TimeSlice } from '#platform/core';
import type { Transaction } from '#platform/database';
import { ChannelAudienceRepository } from '../access/channel-audience.repository.js';
import { audienceOf } from '../access/channel-audience.rules.js';
import { isRecentlyActive } from './channel-fields.rules.js';

/** A new message of a channel, with its effect on the channel. */
interface ChannelMessage {
  readonly id: number;
  readonly realmId: number;
  readonly sentAt: Date;
  readonly channel: { readonly id: number; readonly name: string };
  /** Whether it is the first message of the channel. */
  readonly isFirst: boolean;
  /** Whether it is the first message of the channel on its day (UTC). */
  readonly isFirstOfDay: boolean;
  /** For such a message: the last earlier day with a message, in days since the beginning of 1970. */
  readonly previousDay: number | null;
}

/** A channel with another first message than before; null without any message. */
export interface ChannelWithFirstMessage {
  readonly id: number;
  readonly name: string;
  readonly firstMessageId: number | null;
}

/** The events of the members of a channel that follow from its messages. */
@Injectable()
export class ChannelActivityEvents {
  constructor(
    private readonly audiences: ChannelAudienceRepository,
    private readonly log: EventLog,
  ) {}

  /** Adds the events of channels whose first message was deleted or moved, or that got an earlier one. */
  async firstMessagesChanged(
    transaction: Transaction,
    realmId: number,
    channels: readonly ChannelWithFirstMessage[],
  ): Promise<void> {
    const ids = channels.map(({ id }) => id);
    const audiences = await this.audiences.ofChannels(transaction, ids);
    const slice = new TimeSlice();
    for (const { id, name, firstMessageId } of channels) {
      await slice.next();
      const audience = audiences.get(id);
      if (audience === undefined) continue;
      const change = { property: 'first_message_id', value: firstMessageId };
      const body = {
        op: 'update',
        stream_id: id,
        name,
        ...change,
        ...(audience.isArchived && { is_archived: true }),
      };
      const event = { realmId, type: 'stream', body, audience: audienceOf(audience) };
      this.log.append(transaction, event);
    }
  }

  /** Adds an event for each member of the channel that a new message changes; most messages change none. */
  async messageStored(transaction: Transaction, message: ChannelMessage): Promise<void> {
    const changes = changesOf(message);
    if (changes.length === 0) return;
    const { realmId, channel } = message;
    const audience = await this.audiences.of(transaction, channel.id);
    for (const change of changes) {
      const body = { op: 'update', stream_id: channel.id, name: channel.name, ...change };
      this.log.append(transaction, { realmId, type: 'stream', body, audience });
    }
  }
}

function changesOf({ id, sentAt, isFirst, isFirstOfDay, previousDay }: ChannelMessage) {
  const wasActive = isRecentlyActive(previousDay, sentAt.getTime());
  return [
    ...(isFirst ? [{ property: 'first_message_id', value: id }] : []),
    ...(isFirstOfDay && !wasActive ? [{ property: 'is_recently_active', value: true }] : []),
  ];
}
