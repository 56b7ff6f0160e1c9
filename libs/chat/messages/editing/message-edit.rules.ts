import { createHash } from 'node:crypto';
import {
  type AccessedChannel,
  type ChannelViewer,
  shortenedTopic,
  storedTopic,
  type TopicsPolicy,
} from '#chat/channels';
import type { TopicPlace } from '#chat/user-topics';
import { isGuest, roles } from '#directory/roles';
import { ApiError, type Caller } from '#platform/contracts';
import type { LockedMessage, TopicOfMessage } from '../changing/locked-message.repository.js';
import { messageErrors } from '../messages.errors.js';
import { maySendTo, topicFor } from '../sending/destination.rules.js';
import { RESOLVED_TOPIC_PREFIX } from '../resolved-topic.rules.js';

/** The messages of a topic that move with the given one. */
export type PropagateMode = 'change_one' | 'change_later' | 'change_all';

/** A requested change of a message. */
export interface EditInput {
  readonly content: string | undefined;
  readonly topic: string | undefined;
  readonly channelId: number | undefined;
  readonly mode: PropagateMode;
  /** SHA-256 in hexadecimal of the content that the client has edited. */
  readonly prevContentSha256: string | undefined;
  readonly notifiesOldThread: boolean;
  readonly notifiesNewThread: boolean;
}

/** A change of the place of messages; null for an unchanged part. */
export interface MessageMove {
  readonly topic: string | null;
  readonly channelId: number | null;
  readonly mode: PropagateMode;
}

/** The content of a message whose text was removed. */
const DELETED_CONTENT = '(deleted)';

/** Members may move messages for this time; moderators and administrators always. */
const MOVE_LIMIT_SECONDS = 604_800;

/** The content that an edit stores. */
export const editedContent = (given: string): string =>
  given.trim() === '' ? DELETED_CONTENT : given;

/** The place of a message after an edit of its content, which keeps its channel; null for a direct message. */
export const placeAfter = (
  { channelId, topic }: TopicOfMessage,
  newTopic: string | undefined,
): TopicPlace | null =>
  channelId === null
    ? null
    : { channelId, topic: newTopic === undefined ? topic : storedTopic(newTopic) };

/** The first message of a topic that moves with one; null if it moves alone. */
export const firstMoved = (messageId: number, mode: PropagateMode): number | null =>
  mode === 'change_one' ? null : mode === 'change_all' ? 1 : messageId;

/** The changes that a request makes to a message. Throws ApiError for a request that no account may make. */
export function changeOf(
  message: LockedMessage,
  input: EditInput,
): { readonly content: string | null; readonly move: MessageMove | null } {
  const { content, topic, channelId, mode } = input;
  if (content === undefined && topic === undefined && channelId === undefined) {
    throw new ApiError(messageErrors.nothingToChange);
  }
  if (message.channelId === null) refuseMoveOfDirectMessage(input);
  if (topic !== undefined && isResolvedGeneralChat(topic)) {
    throw new ApiError(messageErrors.generalChatResolved);
  }
  const newTopic = topic === undefined ? null : storedTopic(topic);
  const move = {
    topic: newTopic === message.topic ? null : newTopic,
    channelId: channelId === undefined || channelId === message.channelId ? null : channelId,
    mode,
  };
  const isMoved = move.topic !== null || move.channelId !== null;
  if (!isMoved && mode !== 'change_one') throw new ApiError(messageErrors.propagationWithoutMove);
  if (!isMoved && content === undefined) throw new ApiError(messageErrors.nothingToChange);
  if (content !== undefined && move.channelId !== null) {
    throw new ApiError(messageErrors.contentAndChannel);
  }
  if (content !== undefined && message.hasWidget) throw new ApiError(messageErrors.widgetEdited);
  return {
    content: content === undefined ? null : editedContent(content),
    move: isMoved ? move : null,
  };
}

/** The mark of resolved topics without a topic, or before a name of the empty topic, which clients do not resolve. */
const isResolvedGeneralChat = (topic: string): boolean =>
  `${topic} `.startsWith(RESOLVED_TOPIC_PREFIX) &&
  storedTopic(topic.slice(RESOLVED_TOPIC_PREFIX.length)) === '';

function refuseMoveOfDirectMessage({ topic, channelId }: EditInput): void {
  if (channelId !== undefined) throw new ApiError(messageErrors.directMessageToChannel);
  if (topic !== undefined) throw new ApiError(messageErrors.directMessageTopic);
}

/** Throws `mayNotEdit` or `contentChanged`. */
export function checkContentEdit(
  { userId }: Caller,
  { senderId, content }: LockedMessage,
  { prevContentSha256 }: EditInput,
): void {
  if (senderId !== userId) throw new ApiError(messageErrors.mayNotEdit);
  if (prevContentSha256 === undefined) return;
  const digest = createHash('sha256').update(content).digest('hex');
  if (prevContentSha256 !== digest) throw new ApiError(messageErrors.contentChanged);
}

/** Whether a move only resolves a topic, or the opposite. */
export function resolutionOf(
  message: Pick<LockedMessage, 'topic'>,
  { topic, channelId }: MessageMove,
): 'resolved' | 'unresolved' | null {
  if (topic === null || channelId !== null) return null;
  if (topic === resolved(message.topic)) return 'resolved';
  return message.topic === resolved(topic) ? 'unresolved' : null;
}

/** A topic as a resolved one: the prefix may make it too long. */
const resolved = (topic: string): string => shortenedTopic(RESOLVED_TOPIC_PREFIX + topic);

/** The mover cannot move messages that were sent before this time; null without a limit. */
export const moveLimit = (
  { role }: Pick<ChannelViewer, 'role'>,
  message: LockedMessage,
  move: MessageMove,
  now: Date,
): Date | null =>
  role <= roles.moderator || resolutionOf(message, move) !== null
    ? null
    : new Date(now.getTime() - MOVE_LIMIT_SECONDS * 1000);

/** Throws ApiError if the viewer of the channel cannot move the message to it; it may be the channel of the message. */
export function checkMove(
  message: LockedMessage,
  move: MessageMove,
  { target, limit }: { readonly target: AccessedChannel; readonly limit: Date | null },
): void {
  const { channel, permissions, viewer } = target;
  const maySend = maySendTo({ ...channel, ...permissions }, viewer);
  if (move.channelId === null && !maySend) throw new ApiError(messageErrors.mayNotMove);
  if (move.channelId !== null && isGuest(viewer.role)) {
    throw new ApiError(messageErrors.mayNotMove);
  }
  if (!maySend) throw new ApiError(messageErrors.mayNotSendToChannel, { name: channel.name });
  // Of a whole topic, some messages may be young enough: the error then names them.
  if (limit === null || message.sentAt >= limit || move.mode === 'change_all') return;
  throw limitPassed(move);
}

/** The error of a move of messages that are too old. */
export const limitPassed = ({ channelId }: Pick<MessageMove, 'channelId'>): ApiError =>
  new ApiError(
    channelId === null ? messageErrors.topicLimitPassed : messageErrors.channelLimitPassed,
  );

/** Throws ApiError if the policy of the new channel forbids the topic. */
export function checkTopic(policy: TopicsPolicy, message: LockedMessage, move: MessageMove): void {
  topicFor(policy, move.topic ?? message.topic);
}
