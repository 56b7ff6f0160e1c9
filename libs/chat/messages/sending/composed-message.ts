import type { ContentReferences } from '../composing/message-preparer.js';
import type { TopicLink } from '../composing/topic-links.rules.js';
import type { MessagePlace } from './new-message.rules.js';

/** A message before its row exists. */
export interface ComposedMessage extends ContentReferences {
  readonly realmId: number;
  readonly senderId: number;
  readonly place: MessagePlace;
  /** Markdown. */
  readonly content: string;
  readonly rendered: string;
  readonly topicLinks: readonly TopicLink[];
  /** The name of the client; empty when unknown. */
  readonly client: string;
  readonly isReadBySender: boolean;
  /** Whether it causes no push notification. */
  readonly isSilent: boolean;
  /** A recipient of a channel message who has read it; null without one. */
  readonly readBy: number | null;
  /** Whether a channel message is unread only for accounts that follow its topic. */
  readonly isForFollowers: boolean;
}
