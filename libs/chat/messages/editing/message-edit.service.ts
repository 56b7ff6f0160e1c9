import { Injectable } from '@nestjs/common';
import { type AccessedChannel, ChannelAccess, channelErrors } from '#chat/channels';
import type { TopicPlace } from '#chat/user-topics';
import { ApiError, type Caller, isRowId } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import type { LockedMessage, TopicOfMessage } from '../changing/locked-message.repository.js';
import { LockedMessages } from '../changing/locked-messages.js';
import { MessageComposer } from '../composing/message-composer.js';
import type { TopicLinks } from '../composing/topic-links.rules.js';
import { ContentEditor, type UnusedUpload, type NewContent } from './content-editor.js';
import {
  changeOf,
  checkContentEdit,
  checkMove,
  checkTopic,
  editedContent,
  firstMoved,
  type EditInput,
  moveLimit,
  placeAfter,
} from './message-edit.rules.js';
import { type ChangeOutcome, MessageChanger } from './message-changer.js';
import { type MoveResult, noticesOf } from './move-notices.rules.js';
import { Notices, type SendNotices } from '../notices/notices.js';

/** The objects that a request needs, looked up before its transaction. */
interface Preparation {
  /** The new content, or the reason for which it cannot be stored; null without one. */
  readonly content: NewContent | ApiError | null;
  readonly topicLinks: TopicLinks;
}

/** Edits and moves messages. */
@Injectable()
export class MessageEditService {
  constructor(
    private readonly messages: LockedMessages,
    private readonly contents: ContentEditor,
    private readonly changer: MessageChanger,
    private readonly composer: MessageComposer,
    private readonly channelAccess: ChannelAccess,
    private readonly notices: Notices,
  ) {}

  /**
   * Changes the content of a message, or the topic and channel of it and of others of its topic. Resolves with the files of
   * the caller that no message links any more. Rejects with `invalidMessage` and with the errors of the endpoint.
   */
  async edit(
    caller: Caller,
    messageId: number,
    input: EditInput,
  ): Promise<readonly UnusedUpload[]> {
    const { outcome, sendNotices } = await this.messages.lockWithPlace(caller, messageId, {
      prepare: (place) => this.#prepare(caller, input, place),
      work: async (transaction, message, prepared) => {
        const edited = await this.#edit(transaction, caller, message, { input, ...prepared });
        const notices = await this.#addNotices(transaction, caller, edited.moved, input);
        return { outcome: edited, sendNotices: notices };
      },
      furtherChannelId: input.channelId ?? null,
      firstId: firstMoved(messageId, input.mode),
    });
    await sendNotices?.();
    return outcome.detached;
  }

  /** The notices are messages of their own, after the move. They cause no push notifications. */
  async #addNotices(
    transaction: Transaction,
    caller: Caller,
    moved: MoveResult | null,
    input: EditInput,
  ): Promise<SendNotices | null> {
    if (moved === null) return null;
    return this.notices.add(transaction, caller, (by) =>
      noticesOf(moved, by, input).map((notice) => ({ ...notice, isSilent: true })),
    );
  }

  async #prepare(
    caller: Caller,
    { content, topic }: EditInput,
    place: TopicOfMessage,
  ): Promise<Preparation> {
    const after = placeAfter(place, topic);
    const [composed, topicLinks] = await Promise.all([
      content === undefined ? null : this.#compose(caller, editedContent(content), after),
      topic === undefined ? () => [] : this.composer.topicLinks(caller.realm.id),
    ]);
    return { content: composed, topicLinks };
  }

  /** An error waits until the caller's access to the message has been checked. */
  async #compose(
    caller: Caller,
    content: string,
    place: TopicPlace | null,
  ): Promise<NewContent | ApiError> {
    try {
      return await this.contents.compose(caller, content, place);
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }

  async #edit(
    transaction: Transaction,
    caller: Caller,
    message: LockedMessage,
    { input, content, topicLinks }: Preparation & { readonly input: EditInput },
  ): Promise<ChangeOutcome> {
    const change = changeOf(message, input);
    const isEdited = change.content !== null && change.content !== message.content;
    if (change.content !== null) checkContentEdit(caller, message, input);
    if (content instanceof ApiError) throw content;
    const { move } = change;
    const newContent = isEdited ? content : null;
    if (move === null) {
      if (newContent === null) return { detached: [], moved: null };
      return this.changer.change(transaction, caller, message, { content: newContent, move: null });
    }
    const target = await this.#target(transaction, caller, move.channelId ?? message.channelId);
    const limit = moveLimit(target.viewer, message, move, new Date());
    checkMove(message, move, { target, limit });
    checkTopic(target.topicsPolicy, message, move);
    const links = move.topic === null ? [] : topicLinks(move.topic);
    const place = { ...move, target, limit, topicLinks: links };
    return this.changer.change(transaction, caller, message, { content: newContent, move: place });
  }

  /** The channel after the change: it is locked, so that it stays as it is until the end of the transaction. */
  async #target(
    transaction: Transaction,
    caller: Caller,
    channelId: number | null,
  ): Promise<AccessedChannel> {
    const target =
      channelId === null || !isRowId(channelId)
        ? null
        : await this.channelAccess.findWithin(transaction, caller, channelId, 'content');
    if (target === null) throw new ApiError(channelErrors.invalidChannelId);
    return target;
  }
}
