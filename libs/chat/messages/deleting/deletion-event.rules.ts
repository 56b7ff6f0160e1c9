import { shownTopic } from '#chat/channels';
import { type EventType, isCapable, type QueueOptions } from '#events/declarations';

/** The place of messages of one topic, or of one direct conversation. */
export interface PlaceOfMessages {
  /** Null for a direct conversation. */
  readonly channelId: number | null;
  /** As it is stored. */
  readonly topic: string;
}

/** The body of an event of deleted messages. */
interface DeletionEventBody {
  readonly message_type: 'stream' | 'private';
  readonly stream_id?: number;
  /** As it is stored. */
  readonly topic?: string;
  /** In ascending order. */
  readonly message_ids: readonly number[];
}

/** A queue without `bulk_message_deletion` gets an event for each message, and a stored event has a limited number of forms. */
const MAX_MESSAGES = 1000;

/** The bodies of the events of deleted messages of one place. */
export function deletionEventBodies(
  { channelId, topic }: PlaceOfMessages,
  messageIds: readonly number[],
): DeletionEventBody[] {
  const ids = messageIds.toSorted((one, other) => one - other);
  const place =
    channelId === null
      ? { message_type: 'private' as const }
      : { message_type: 'stream' as const, stream_id: channelId, topic };
  const starts = Array.from({ length: Math.ceil(ids.length / MAX_MESSAGES) }, (_, index) => index);
  return starts.map((index) => ({
    ...place,
    message_ids: ids.slice(index * MAX_MESSAGES, (index + 1) * MAX_MESSAGES),
  }));
}

/** The events of deleted messages. */
export const deletionEventType: EventType = {
  type: 'delete_message',
  // All bodies of this type are written by `deletionEventBodies`.
  formsOf: (body, options) => formsFor(body as unknown as DeletionEventBody, options),
};

function formsFor(body: DeletionEventBody, options: QueueOptions): object[] {
  const { message_ids: ids, topic, ...rest } = body;
  const isEmptyTopicAllowed = isCapable(options, 'empty_topic_name');
  const place = {
    ...rest,
    ...(topic !== undefined && { topic: shownTopic(topic, isEmptyTopicAllowed) }),
  };
  return isCapable(options, 'bulk_message_deletion')
    ? [{ ...place, message_ids: ids }]
    : ids.map((id) => ({ ...place, message_id: id }));
}
