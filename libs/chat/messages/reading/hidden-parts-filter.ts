import { Injectable } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import type { Session } from '#platform/database';
import { EarlierChannelRepository } from './earlier-channel.repository.js';
import { GuestIdentityFilter } from './guest-identity-filter.js';
import type { MessageOfReader } from './message.repository.js';
import { earlierChannelsOf, visibleEdits } from './visible-edits.rules.js';

/** Removes from readable messages what their reader must not see. */
@Injectable()
export class HiddenPartsFilter {
  constructor(
    private readonly identities: GuestIdentityFilter,
    private readonly earlierChannels: EarlierChannelRepository,
  ) {}

  /** The message without names that GuestIdentityFilter hides, and without changes that `visibleEdits` hides. */
  async apply(caller: Caller, message: MessageOfReader): Promise<MessageOfReader> {
    const [shown = message] = await this.applyToAll(caller, [message]);
    return shown;
  }

  /** The same for any number of messages, with a bounded number of statements; none if nothing can be hidden. */
  async applyToAll(
    caller: Caller,
    messages: readonly MessageOfReader[],
    session?: Session,
  ): Promise<readonly MessageOfReader[]> {
    const channels = earlierChannelsOf(messages.flatMap(({ edits }) => edits));
    const readable = await this.earlierChannels.readableAmong(caller, channels, session);
    const shown = await this.identities.applyToAll(caller, messages, session);
    if (channels.length === 0) return shown;
    return shown.map((message) => ({
      ...message,
      edits: visibleEdits(message.edits, readable, message.received),
    }));
  }
}
