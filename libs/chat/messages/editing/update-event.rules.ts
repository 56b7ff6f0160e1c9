import { shownTopic } from '#chat/channels';
import { type EventType, isCapable, type QueueOptions } from '#events/declarations';
import type { TopicLink } from '../composing/topic-links.rules.js';
import type { PropagateMode } from './message-edit.rules.js';

/** The members of an event of a changed content. */
export interface ContentUpdate {
  /** Markdown. */
  readonly orig_content: string;
  readonly orig_rendered_content: string;
  readonly content: string;
  readonly rendered_content: string;
  readonly is_me_message: boolean;
}

/** The members of an event of moved messages. Topics are as they are stored. */
export interface PlaceUpdate {
  readonly propagate_mode: PropagateMode;
  readonly orig_subject: string;
  /** Only if the topic changed. */
  readonly subject?: string;
  readonly topic_links?: readonly TopicLink[];
  /** Only if the channel changed. */
  readonly new_stream_id?: number;
}

/** The stored body of an event of changed messages. */
export interface UpdateEventBody extends Partial<ContentUpdate>, Partial<PlaceUpdate> {
  readonly user_id: number;
  /** UNIX seconds. */
  readonly edit_timestamp: number;
  readonly message_id: number;
  /** In ascending order. */
  readonly message_ids: readonly number[];
  readonly rendering_only: false;
  /** The channel before the change; the one after it in the event for readers who cannot read the channel before. */
  readonly stream_id?: number;
  readonly stream_name?: string;
}

/** The events of edited and moved messages. */
export const updateEventType: EventType = {
  type: 'update_message',
  hasFlags: true,
  // All bodies of this type are of the type UpdateEventBody.
  formsOf: (body, options) => [formFor(body as unknown as UpdateEventBody, options)],
};

function formFor(body: UpdateEventBody, options: QueueOptions): object {
  const { orig_subject: before, subject: after } = body;
  const shown = (topic: string): string =>
    shownTopic(topic, isCapable(options, 'empty_topic_name'));
  return {
    ...body,
    ...(before !== undefined && { orig_subject: shown(before) }),
    ...(after !== undefined && { subject: shown(after) }),
  };
}
