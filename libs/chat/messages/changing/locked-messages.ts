import { Injectable } from '@nestjs/common';
import { GroupMembershipRepository } from '#directory/groups';
import { ApiError, type Caller } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import { MessageFlagRepository } from '../flags/message-flag.repository.js';
import { messageErrors } from '../messages.errors.js';
import {
  type LockedMessage,
  LockedMessageRepository,
  type MessageReader,
  type TopicOfMessage,
} from './locked-message.repository.js';

/** The place of a message changed while the lock of its place was taken. */
class Moved extends Error {}

/** A message may move between the look at its place and the lock; more often than this it is a defect. */
const MAX_ATTEMPTS = 5;

/** A change of a message in a transaction that has locked it and its place. */
interface ChangeOfMessage<Prepared, Result> {
  /** Runs before the transaction, in which no other connection may be used. */
  readonly prepare: (place: TopicOfMessage) => Promise<Prepared>;
  readonly work: (
    transaction: Transaction,
    message: LockedMessage,
    prepared: Prepared,
  ) => Promise<Result>;
  /** A channel to lock as well. */
  readonly furtherChannelId?: number | null;
  /** The first message of the topic that is changed with it; null if it is changed alone. */
  readonly firstId?: number | null;
}

/** Locks messages for changes by accounts that may read them. */
@Injectable()
export class LockedMessages {
  constructor(
    private readonly messages: LockedMessageRepository,
    private readonly flags: MessageFlagRepository,
    private readonly membership: GroupMembershipRepository,
    private readonly database: Database,
  ) {}

  /**
   * Locks a message until the end of the transaction. Rejects with `invalidMessage` for a message that the caller cannot
   * read, and for one of an archived channel.
   */
  async lock(transaction: Transaction, caller: Caller, messageId: number): Promise<LockedMessage> {
    const reader = await this.#readerOf(transaction, caller);
    const locked = await this.messages.lock(transaction, reader, messageId);
    // The statement sees the channel of its start: it finds none if the message moved while it waited.
    const isSure = locked === null || locked.isReadable;
    return accessible(isSure ? locked : await this.messages.lock(transaction, reader, messageId));
  }

  /**
   * Runs a change in a transaction that has locked a message and its place, so that there are no new messages in the
   * meantime. Rejects as `lock`; with `messageAlreadyDeleted` for a message that was deleted meanwhile.
   */
  async lockWithPlace<Prepared, Result>(
    caller: Caller,
    messageId: number,
    change: ChangeOfMessage<Prepared, Result>,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#tryWithPlace(caller, messageId, change);
      } catch (error) {
        if (!(error instanceof Moved) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  async #tryWithPlace<Prepared, Result>(
    caller: Caller,
    messageId: number,
    { prepare, work, furtherChannelId = null, firstId = null }: ChangeOfMessage<Prepared, Result>,
  ): Promise<Result> {
    const place = await this.messages.placeOf(caller.realm.id, messageId);
    if (place === null) throw new ApiError(messageErrors.invalidMessage);
    const prepared = await prepare(place);
    return this.database.transaction(async (transaction) => {
      await this.messages.lockPlace(transaction, caller.realm.id, place, furtherChannelId);
      const reader = await this.#readerOf(transaction, caller);
      if (firstId !== null) {
        // Requests for messages that the caller cannot read lock no others.
        const found = await this.messages.find(transaction, reader, messageId);
        if (found !== null) accessible(found);
        await this.messages.lockTopic(transaction, place, firstId);
      }
      const locked = await this.messages.lock(transaction, reader, messageId);
      if (locked === null) throw new ApiError(messageErrors.messageAlreadyDeleted);
      if (locked.channelId !== place.channelId || locked.topic !== place.topic) throw new Moved();
      return work(transaction, accessible(locked), prepared);
    });
  }

  /**
   * Adds a row for the caller to a locked message that was not sent to the caller. The message has then the flags `read` and
   * `historical`.
   */
  async addRow(
    transaction: Transaction,
    caller: Caller,
    { id, hasRow }: LockedMessage,
  ): Promise<void> {
    if (hasRow) return;
    const reader = await this.#readerOf(transaction, caller);
    await this.flags.addRows(transaction, reader, [id]);
  }

  async #readerOf(transaction: Transaction, { userId, realm }: Caller): Promise<MessageReader> {
    const groups = await this.membership.groupsOf(userId, transaction);
    return { userId, realmId: realm.id, groups };
  }
}

function accessible(locked: LockedMessage | null): LockedMessage {
  if (locked === null || !locked.isReadable || locked.isArchived) {
    throw new ApiError(messageErrors.invalidMessage);
  }
  return locked;
}
