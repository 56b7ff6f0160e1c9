import { Injectable } from '@nestjs/common';
import { GroupMembershipRepository } from '#directory/groups';
import { type Caller, isMessageId } from '#platform/contracts';
import {
  type AddedFlag,
  type FlagChange,
  MessageFlagRepository,
} from './message-flag.repository.js';

/** The effect of a change of flags. */
export interface FlagOutcome {
  /** The messages that now have the requested state, in ascending order. */
  readonly messageIds: readonly number[];
  /** The channels whose messages stay read, since the account is not subscribed to them; in ascending order. */
  readonly ignoredChannelIds: readonly number[];
}

/** Changes the flags that users set on messages. */
@Injectable()
export class MessageFlagsService {
  constructor(
    private readonly flags: MessageFlagRepository,
    private readonly membership: GroupMembershipRepository,
  ) {}

  /**
   * Sets or removes a flag of messages. The flags `starred` and `collapsed` can also be set on a readable message that
   * was not sent to the caller. Other messages are ignored, as are messages to mark as unread of a channel without a
   * subscription.
   */
  async update(caller: Caller, change: FlagChange): Promise<FlagOutcome> {
    const { userId } = caller;
    const { flag } = change;
    if (flag === 'read') {
      return change.isSet
        ? {
            messageIds: await this.flags.markRead(userId, change.messageIds),
            ignoredChannelIds: [],
          }
        : this.#markUnread(caller, change.messageIds);
    }
    const received = await this.flags.change(userId, { ...change, flag });
    const others = without(change.messageIds, received);
    const added = change.isSet ? await this.#addHistorical(caller, flag, others) : [];
    const messageIds = [...received, ...added].toSorted((one, other) => one - other);
    return { messageIds, ignoredChannelIds: [] };
  }

  async #addHistorical(
    caller: Caller,
    flag: AddedFlag,
    messageIds: readonly number[],
  ): Promise<readonly number[]> {
    if (messageIds.length === 0) return [];
    return this.flags.addHistorical(await this.#reader(caller), flag, messageIds);
  }

  async #markUnread(caller: Caller, messageIds: readonly number[]): Promise<FlagOutcome> {
    const held = await this.flags.markUnread(caller.userId, messageIds);
    const others = without(
      messageIds,
      held.map(({ id }) => id),
    );
    const channels = new Set(
      others.length === 0
        ? []
        : await this.flags.channelsWithoutSubscription(await this.#reader(caller), others),
    );
    for (const { ignoredIn } of held) if (ignoredIn !== null) channels.add(ignoredIn);
    return {
      messageIds: held.filter(({ ignoredIn }) => ignoredIn === null).map(({ id }) => id),
      ignoredChannelIds: [...channels].toSorted((one, other) => one - other),
    };
  }

  async #reader({ userId, realm }: Caller) {
    return { userId, realmId: realm.id, groups: await this.membership.groupsOf(userId) };
  }
}

/** The ids that a message can have, without those that are known. */
function without(ids: readonly number[], known: readonly number[]): number[] {
  const others = new Set(ids.filter(isMessageId));
  for (const id of known) others.delete(id);
  return [...others];
}
