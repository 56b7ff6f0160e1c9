import { namedTopic } from '#chat/channels';
import { type EventType, isCapable, type QueueOptions } from '#events/declarations';
import type { OwnFlag, UnreadMessage } from '../flags/message-flag.repository.js';

/** A message that was marked as unread, for clients that have not loaded it. */
type UnreadDetails =
  | { readonly type: 'private'; readonly user_ids: readonly number[]; readonly mentioned?: true }
  | {
      readonly type: 'stream';
      readonly stream_id: number;
      /** As it is stored. */
      readonly topic: string;
      readonly unmuted_stream_msg: boolean;
      readonly mentioned?: true;
    };

/** The body of an event about the flags of messages. */
export interface FlagEventBody {
  readonly op: 'add' | 'remove';
  /** The older name of `op`. */
  readonly operation: 'add' | 'remove';
  readonly flag: OwnFlag;
  /** In ascending order. */
  readonly messages: readonly number[];
  /** Whether all messages of the account were marked as read. */
  readonly all: boolean;
  /** By message id; only for messages that were marked as unread. */
  readonly message_details?: Readonly<Record<string, UnreadDetails>>;
}

/** The body of the event of a changed flag. `messageIds` ascend. */
export const flagEventBody = (
  op: FlagEventBody['op'],
  flag: OwnFlag,
  messageIds: readonly number[],
): FlagEventBody => ({ op, operation: op, flag, messages: messageIds, all: false });

/** The details of messages that were marked as unread, by id. */
export const unreadDetails = (
  messages: readonly UnreadMessage[],
): Readonly<Record<string, UnreadDetails>> =>
  Object.fromEntries(messages.map((message) => [message.id, detailsOf(message)]));

function detailsOf(message: UnreadMessage): UnreadDetails {
  const { channelId, topic, isMuted, isMentioned, isWildcardMentioned, otherIds } = message;
  const isMention = isMentioned || (isWildcardMentioned && !isMuted);
  const mentioned = isMention ? { mentioned: true as const } : {};
  if (channelId === null) return { type: 'private', user_ids: otherIds ?? [], ...mentioned };
  const place = { stream_id: channelId, topic, unmuted_stream_msg: !isMuted };
  return { type: 'stream', ...place, ...mentioned };
}

type Body = Readonly<Record<string, unknown>>;

/** All bodies of this type of events are of the type FlagEventBody. */
const flagBody = (body: Body): FlagEventBody => body as unknown as FlagEventBody;

/** The events of the flags of messages. */
export const flagEventType: EventType = {
  type: 'update_message_flags',
  formsOf: (body, options) => [formFor(flagBody(body), options)],
  merging: {
    keyOf: (body) => keyOf(flagBody(body)),
    sizeOf: (body) => flagBody(body).messages.length,
    merge: (bodies) => ({ ...bodies[0], messages: messagesOf(bodies.map(flagBody)) }),
  },
};

function formFor(body: FlagEventBody, options: QueueOptions): object {
  const { message_details: details } = body;
  if (details === undefined || isCapable(options, 'empty_topic_name')) return body;
  const shown = Object.entries(details).map(([id, one]) => [
    id,
    one.type === 'stream' ? { ...one, topic: namedTopic(one.topic) } : one,
  ]);
  return { ...body, message_details: Object.fromEntries(shown) };
}

/** The flag, for events that add it. Others stay alone: their order matters. */
const keyOf = ({ op, flag, all }: FlagEventBody): string | null =>
  op === 'add' && !all ? flag : null;

/** The messages of all events, in ascending order. */
const messagesOf = (bodies: readonly FlagEventBody[]): number[] =>
  [...new Set(bodies.flatMap(({ messages }) => messages))].toSorted((one, other) => one - other);
