import { Injectable } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import type { LockedMessage } from '../changing/locked-message.repository.js';
import {
  idsOfReaders,
  MessageReadersRepository,
  type ReaderGroup,
  readersWithout,
} from '../changing/message-readers.repository.js';
import {
  ContentEditor,
  contentUpdate,
  type UnusedUpload,
  type NewContent,
} from './content-editor.js';
import { MessageEditEvents } from './message-edit.events.js';
import { MessageEditRepository, type MessageRevision } from './message-edit.repository.js';
import { type MessageIds, MessageMover, type MovePlan } from './message-mover.js';
import { MovedReaders } from './moved-readers.js';
import type { MoveResult } from './move-notices.rules.js';
import type { PlaceUpdate, UpdateEventBody } from './update-event.rules.js';

/** A permitted change of a message. */
interface ChangePlan {
  /** Null if the content stays. */
  readonly content: NewContent | null;
  /** Null if the place stays. */
  readonly move: MovePlan | null;
}

/** The effect of a change. */
export interface ChangeOutcome {
  /** The files of the editor that no message links any more. */
  readonly detached: readonly UnusedUpload[];
  readonly moved: MoveResult | null;
}

/** The same without what its readers know. */
interface ChangeResult {
  readonly detached: readonly UnusedUpload[];
  readonly moved: Omit<MoveResult, 'isOldHidden' | 'isNewHidden'> | null;
}

/** Carries out permitted changes of messages, with their events. */
@Injectable()
export class MessageChanger {
  constructor(
    private readonly edits: MessageEditRepository,
    private readonly readers: MessageReadersRepository,
    private readonly contents: ContentEditor,
    private readonly mover: MessageMover,
    private readonly movedReaders: MovedReaders,
    private readonly events: MessageEditEvents,
  ) {}

  /**
   * Changes a message, and moves others of its topic with it: a bounded number of statements. Accounts that may no longer
   * read them get the event of a deletion. The message and its places must be locked. Rejects with the errors of
   * MessageMover.
   */
  async change(
    transaction: Transaction,
    caller: Caller,
    message: LockedMessage,
    { content, move }: ChangePlan,
  ): Promise<ChangeOutcome> {
    const at = new Date();
    const messageIds = await this.#select(transaction, caller, message, move);
    const change = { caller, message, content, move, messageIds, at };
    const before =
      move === null ? [] : idsOfReaders(await this.readers.of(transaction, messageIds));
    const outcome = await this.#apply(transaction, change);
    const readers = await this.readers.of(
      transaction,
      startingWith(message.id, messageIds),
      before,
    );
    const after = idsOfReaders(readers);
    const losing = without(before, after);
    await this.#removeReaders(transaction, change, losing);
    const newcomers = await this.mover.newcomers(transaction, message, move, { before, after });
    const informed = readersWithout(readers, newcomers.userIds);
    await this.#publish(transaction, change, before, informed);
    this.#publishArrival(transaction, change, readersWithout(readers, idsOfReaders(informed)));
    const { detached, moved } = outcome;
    if (moved === null) return { detached, moved };
    const isOldHidden = newcomers.isPrivate || newcomers.userIds.length > 0;
    const isNewHidden = move?.channelId != null && (moved.channel.isPrivate || losing.length > 0);
    return { detached, moved: { ...moved, isOldHidden, isNewHidden } };
  }

  async #select(
    transaction: Transaction,
    { userId, realm }: Caller,
    message: LockedMessage,
    move: MovePlan | null,
  ): Promise<MessageIds> {
    if (move === null) return [message.id];
    const mover = { userId, realmId: realm.id, groups: move.target.viewer.groups };
    return this.mover.select(transaction, mover, message, move);
  }

  async #apply(transaction: Transaction, change: ChangeSelection): Promise<ChangeResult> {
    const { caller, message, content, move, messageIds, at } = change;
    const { topic, channelId } = move ?? { topic: null, channelId: null };
    const contentOf = content === null ? null : message.id;
    const revision = { messageIds, userId: caller.userId, at, contentOf, topic, channelId };
    await this.edits.recordRevision(transaction, revision);
    const detached =
      content === null ? [] : await this.contents.apply(transaction, message, content, at);
    const moved =
      move === null ? null : await this.#move(transaction, caller, message, { move, revision });
    return { detached, moved };
  }

  async #move(
    transaction: Transaction,
    { realm: { id: realmId } }: Caller,
    message: LockedMessage,
    { move, revision }: { move: MovePlan; revision: MessageRevision },
  ): Promise<NonNullable<ChangeResult['moved']>> {
    const { channelId, target } = move;
    const { messageIds } = revision;
    const isMerge = await this.mover.isMerge(transaction, message, move, target);
    await this.edits.setPlace(transaction, revision);
    if (channelId !== null && message.channelId !== null) {
      const from = message.channelId;
      await this.movedReaders.moveReaders(transaction, { realmId, messageIds, from, to: target });
    }
    const topicMove = { ...move, messageIds, isMerge };
    const concerned = await this.mover.concerned(transaction, message, move);
    const isWhole = await this.mover.moveSettings(transaction, realmId, message, topicMove);
    await this.movedReaders.decideAgain(transaction, messageIds, concerned, channelId);
    return { message, move, isWhole, count: messageIds.length, channel: target.channel };
  }

  async #removeReaders(
    transaction: Transaction,
    { caller, message: { channelId, topic }, messageIds }: ChangeSelection,
    losing: readonly number[],
  ): Promise<void> {
    const messages = { realmId: caller.realm.id, channelId, topic, messageIds };
    await this.movedReaders.removeReaders(transaction, messages, losing);
  }

  /** Adds the event for readers to whom the messages are new, and who must not learn where they have been. */
  #publishArrival(
    transaction: Transaction,
    { caller, message, move, messageIds, at }: ChangeSelection,
    readers: readonly ReaderGroup[],
  ): void {
    if (move === null) return;
    const { id, name } = move.target.channel;
    const body = eventBody(caller, message, messageIds, at);
    const arrival = { ...body, stream_id: id, stream_name: name };
    this.events.changed(transaction, caller.realm.id, arrival, readers);
  }

  /** Adds one event, or two if readers of the other messages may not read the edited one. */
  async #publish(
    transaction: Transaction,
    { caller, message, content, move, messageIds, at }: ChangeSelection,
    before: readonly number[],
    readers: readonly ReaderGroup[],
  ): Promise<void> {
    const realmId = caller.realm.id;
    const body = {
      ...eventBody(caller, message, messageIds, at),
      ...channelOf(message),
      ...(move !== null && placeUpdate(message, move)),
    } as const;
    if (content === null) return this.events.changed(transaction, realmId, body, readers);
    // Readers of the others may not read this message in a channel that hides its history.
    const ofMessage =
      messageIds.length === 1 ? readers : await this.readers.of(transaction, [message.id], before);
    const update = { ...body, ...contentUpdate(message, content) };
    this.events.changed(transaction, realmId, update, ofMessage);
    this.events.changed(
      transaction,
      realmId,
      body,
      readersWithout(readers, idsOfReaders(ofMessage)),
    );
  }
}

/** A change whose messages are known. */
interface ChangeSelection extends ChangePlan {
  readonly caller: Caller;
  readonly message: LockedMessage;
  /** The message, and those that move with it. */
  readonly messageIds: MessageIds;
  readonly at: Date;
}

const startingWith = (first: number, ids: MessageIds): MessageIds => [
  first,
  ...ids.filter((id) => id !== first),
];

const without = (ids: readonly number[], others: readonly number[]): number[] => {
  const excluded = new Set(others);
  return ids.filter((id) => !excluded.has(id));
};

const eventBody = (
  { userId }: Caller,
  { id }: LockedMessage,
  messageIds: MessageIds,
  at: Date,
): UpdateEventBody => ({
  user_id: userId,
  edit_timestamp: Math.floor(at.getTime() / 1000),
  message_id: id,
  message_ids: messageIds,
  rendering_only: false,
});

/** The members of the event about the channel before the change. */
const channelOf = ({
  channelId,
  channelName,
}: LockedMessage): Pick<UpdateEventBody, 'stream_id' | 'stream_name'> =>
  channelId === null ? {} : { stream_id: channelId, stream_name: channelName ?? '' };

/** The members of the event of a move. */
const placeUpdate = (
  { topic: before }: LockedMessage,
  { mode, topic, channelId, topicLinks }: MovePlan,
): PlaceUpdate => ({
  propagate_mode: mode,
  orig_subject: before,
  ...(topic !== null && { subject: topic, topic_links: topicLinks }),
  ...(channelId !== null && { new_stream_id: channelId }),
});
