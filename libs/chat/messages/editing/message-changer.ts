import { Injectable } from '@nestjs/common';
import type { AccessedChannel } from '#chat/channels';
import type { Caller } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import type { HeldMessage } from '../changing/held-message.repository.js';
import { idsOfReaders, MessageReadersRepository } from '../changing/message-readers.repository.js';
import { MessageDeletionEvents } from '../deleting/message-deletion.events.js';
import {
  ContentEditor,
  contentUpdate,
  type DetachedUpload,
  type NewContent,
} from './content-editor.js';
import { MessageEditEvents } from './message-edit.events.js';
import { MessageEditRepository } from './message-edit.repository.js';
import type { MessageMove } from './message-edit.rules.js';
import { type MessageIds, MessageMover } from './message-mover.js';
import type { FinishedMove } from './move-notices.rules.js';
import type { PlaceUpdate, UpdateEventBody } from './update-event.rules.js';

/** A permitted change of a message. */
export interface PermittedChange {
  /** Null if the content stays. */
  readonly content: NewContent | null;
  /** Null if the place stays. */
  readonly move: PermittedMove | null;
}

/** A move to a channel, which may be the present one. Messages from before the limit must not be among those that move. */
export interface PermittedMove extends MessageMove {
  readonly target: AccessedChannel;
  readonly limit: Date | null;
}

/** The effect of a change. */
export interface ChangeOutcome {
  /** The files of the editor that no message links any more. */
  readonly detached: readonly DetachedUpload[];
  readonly moved: FinishedMove | null;
}

/** Carries out permitted changes of messages, and tells clients of them. */
@Injectable()
export class MessageChanger {
  constructor(
    private readonly edits: MessageEditRepository,
    private readonly readers: MessageReadersRepository,
    private readonly contents: ContentEditor,
    private readonly mover: MessageMover,
    private readonly events: MessageEditEvents,
    private readonly deletionEvents: MessageDeletionEvents,
  ) {}

  /**
   * Changes a message, and moves others of its topic with it: a bounded number of statements. Who may read them no more gets
   * the event of a deletion. The message and its places must be locked. Rejects with the errors of MessageMover.
   */
  async change(
    transaction: Transaction,
    caller: Caller,
    message: HeldMessage,
    { content, move }: PermittedChange,
  ): Promise<ChangeOutcome> {
    const at = new Date();
    const messageIds = await this.#select(transaction, caller, message, move);
    const before =
      move === null ? [] : idsOfReaders(await this.readers.of(transaction, messageIds));
    const { topic, channelId } = move ?? { topic: null, channelId: null };
    const contentOf = content === null ? null : message.id;
    const remembered = { messageIds, userId: caller.userId, at, contentOf, topic, channelId };
    await this.edits.remember(transaction, remembered);
    const detached =
      content === null ? [] : await this.contents.apply(transaction, message, content, at);
    if (move !== null) {
      await this.edits.setPlace(transaction, remembered);
      await this.#arrive(transaction, caller, message, { ...move, messageIds });
    }
    const others = messageIds.filter((id) => id !== message.id);
    const readers = await this.readers.of(transaction, [message.id, ...others], before);
    await this.#hide(transaction, caller, message, {
      messageIds,
      before,
      after: idsOfReaders(readers),
    });
    this.events.changed(
      transaction,
      caller.realm.id,
      {
        user_id: caller.userId,
        edit_timestamp: Math.floor(at.getTime() / 1000),
        message_id: message.id,
        message_ids: messageIds,
        rendering_only: false,
        ...(message.channelId !== null && {
          stream_id: message.channelId,
          stream_name: message.channelName ?? '',
        }),
        ...(content !== null && contentUpdate(message, content)),
        ...(move !== null && placeUpdate(message, move)),
      } satisfies UpdateEventBody,
      readers,
    );
    return {
      detached,
      moved: move && (await this.#finished(transaction, message, move, messageIds)),
    };
  }

  async #select(
    transaction: Transaction,
    { userId, realm }: Caller,
    message: HeldMessage,
    move: PermittedMove | null,
  ): Promise<MessageIds> {
    if (move === null) return [message.id];
    const mover = { userId, realmId: realm.id, groups: move.target.viewer.groups };
    return this.mover.select(transaction, mover, message, move, move);
  }

  async #arrive(
    transaction: Transaction,
    { realm }: Caller,
    { channelId: from }: HeldMessage,
    { channelId, target: to, messageIds }: PermittedMove & { readonly messageIds: MessageIds },
  ): Promise<void> {
    if (channelId === null || from === null) return;
    await this.mover.arrive(transaction, { realmId: realm.id, messageIds, from, to });
  }

  async #hide(
    transaction: Transaction,
    { realm }: Caller,
    { channelId, topic }: HeldMessage,
    { messageIds, before, after }: ReadersOfChange,
  ): Promise<void> {
    const readers = new Set(after);
    const losing = before.filter((id) => !readers.has(id));
    if (losing.length === 0) return;
    const messages = { realmId: realm.id, channelId, topic, messageIds };
    this.deletionEvents.hidden(transaction, messages, losing);
    await this.mover.hide(transaction, messageIds, losing);
  }

  async #finished(
    transaction: Transaction,
    message: HeldMessage,
    move: PermittedMove,
    messageIds: MessageIds,
  ): Promise<FinishedMove> {
    const isWhole =
      move.mode === 'change_all' || !(await this.mover.leavesTopic(transaction, message));
    return { message, move, isWhole, count: messageIds.length, channel: move.target.channel };
  }
}

interface ReadersOfChange {
  readonly messageIds: MessageIds;
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** The members of the event of a move. */
const placeUpdate = (
  { topic: before }: HeldMessage,
  { mode, topic, channelId }: MessageMove,
): PlaceUpdate => ({
  propagate_mode: mode,
  orig_subject: before,
  ...(topic !== null && { subject: topic, topic_links: [] }),
  ...(channelId !== null && { new_stream_id: channelId }),
});
