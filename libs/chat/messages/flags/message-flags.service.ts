import { Injectable } from '@nestjs/common';
import { GroupMembershipRepository } from '#directory/groups';
import { type Caller, isMessageId } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import type { MessageReader } from '../changing/locked-message.repository.js';
import { MessageEvents } from '../messages.events.js';
import {
  type AddedFlag,
  type FlagChange,
  type FlagRow,
  MessageFlagRepository,
} from './message-flag.repository.js';
import { ReadMessagesService } from './read-messages.service.js';

/** The effect of a change of flags. */
interface FlagOutcome {
  /** The messages that now have the requested state, in ascending order. */
  readonly messageIds: readonly number[];
  /** The number of messages that did not have it before. */
  readonly changedCount: number;
  /** The channels whose messages stay read, since the account is not subscribed to them; in ascending order. */
  readonly ignoredChannelIds: readonly number[];
}

/** Changes the flags that users set on messages. */
@Injectable()
export class MessageFlagsService {
  constructor(
    private readonly flags: MessageFlagRepository,
    private readonly readMessages: ReadMessagesService,
    private readonly membership: GroupMembershipRepository,
    private readonly database: Database,
    private readonly events: MessageEvents,
  ) {}

  /**
   * Sets or removes a flag of messages. The flags `starred` and `collapsed` can also be set on a readable message that
   * was not sent to the caller. Other messages are ignored, as are messages to mark as unread of a channel without a
   * subscription.
   */
  async update(caller: Caller, change: FlagChange): Promise<FlagOutcome> {
    return this.database.transaction((transaction) => this.#update(transaction, caller, change));
  }

  async #update(
    transaction: Transaction,
    caller: Caller,
    change: FlagChange,
  ): Promise<FlagOutcome> {
    const { flag, isSet, messageIds } = change;
    if (flag !== 'read') {
      return outcomeOf(await this.#change(transaction, caller, { ...change, flag }));
    }
    if (!isSet) return this.#markUnread(transaction, caller, messageIds);
    const read = await this.readMessages.markNamed(transaction, readerOf(caller), messageIds);
    return outcomeOf(read.map(({ id, wasRead }) => ({ id, isChanged: !wasRead })));
  }

  async #change(
    transaction: Transaction,
    caller: Caller,
    change: FlagChange & { readonly flag: AddedFlag },
  ): Promise<FlagRow[]> {
    const reader = await this.#readerWithGroups(transaction, caller);
    if (change.isSet) {
      await this.flags.hold(transaction, reader, change.messageIds);
      await this.flags.addRows(transaction, reader, change.messageIds);
    }
    const flagged = await this.flags.change(transaction, reader, change);
    const messageIds = flagged.filter(({ isChanged }) => isChanged).map(({ id }) => id);
    this.events.flagChanged(transaction, reader, { ...change, messageIds });
    return flagged;
  }

  async #markUnread(
    transaction: Transaction,
    caller: Caller,
    messageIds: readonly number[],
  ): Promise<FlagOutcome> {
    const held = await this.flags.markUnread(transaction, caller.userId, messageIds);
    const others = without(messageIds, held);
    const channels = new Set(await this.#channelsOf(transaction, caller, others));
    for (const { ignoredIn } of held) if (ignoredIn !== null) channels.add(ignoredIn);
    const changed = held.filter(({ isChanged }) => isChanged);
    this.events.markedUnread(transaction, readerOf(caller), changed);
    return {
      messageIds: held.filter(({ ignoredIn }) => ignoredIn === null).map(({ id }) => id),
      changedCount: changed.length,
      ignoredChannelIds: [...channels].toSorted((one, other) => one - other),
    };
  }

  async #channelsOf(
    transaction: Transaction,
    caller: Caller,
    messageIds: readonly number[],
  ): Promise<number[]> {
    if (messageIds.length === 0) return [];
    const reader = await this.#readerWithGroups(transaction, caller);
    return this.flags.channelsWithoutSubscription(transaction, reader, messageIds);
  }

  async #readerWithGroups(transaction: Transaction, caller: Caller): Promise<MessageReader> {
    const groups = await this.membership.groupsOf(caller.userId, transaction);
    return { ...readerOf(caller), groups };
  }
}

const outcomeOf = (flagged: readonly FlagRow[]): FlagOutcome => ({
  messageIds: flagged.map(({ id }) => id),
  changedCount: flagged.filter(({ isChanged }) => isChanged).length,
  ignoredChannelIds: [],
});

const readerOf = ({ userId, realm }: Caller) => ({ userId, realmId: realm.id });

/** The ids that a message can have, without those that are known. */
function without(ids: readonly number[], known: readonly FlagRow[]): number[] {
  const others = new Set(ids.filter(isMessageId));
  for (const { id } of known) others.delete(id);
  return [...others];
}
