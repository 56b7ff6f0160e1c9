import { shownTopic } from '#chat/channels';
import { z } from 'zod';
import { messageAdditions, toMessageAdditions } from './message-additions.response.js';
import type { MessagePerson, MessageView, ReceivedFlags } from './reading/message.repository.js';
import { recipientId } from './sending/new-message.rules.js';

const person = z.object({
  id: z.int(),
  email: z.string(),
  full_name: z.string(),
  is_mirror_dummy: z.literal(false),
});

export const messageResponse = z.object({
  id: z.int(),
  type: z.enum(['stream', 'private']).describe('`stream` for a message of a channel.'),
  sender_id: z.int(),
  sender_email: z.string(),
  sender_full_name: z.string(),
  sender_realm_str: z.string().describe("The subdomain of the sender's organization."),
  client: z.string().describe('The name of the client that sent the message.'),
  content: z.string(),
  content_type: z.enum(['text/html', 'text/x-markdown']),
  timestamp: z.int().describe('UNIX seconds.'),
  subject: z
    .string()
    .describe('The topic; empty for a direct message. See `allow_empty_topic_name`.'),
  topic_links: z
    .array(z.object({ text: z.string(), url: z.string() }))
    .describe('The links in the topic: web addresses, and matches of linkifiers.'),
  stream_id: z.int().optional().describe('The channel; absent for a direct message.'),
  display_recipient: z
    .union([z.string(), z.array(person)])
    .describe('The name of the channel, or the members of the conversation.'),
  recipient_id: z.int().describe('The same for all messages of a channel or conversation.'),
  is_me_message: z.boolean().describe('Whether the content starts with `/me`.'),
  ...messageAdditions,
  avatar_url: z.null(),
  flags: z
    .array(
      z.enum([
        'read',
        'starred',
        'collapsed',
        'hide_link_previews',
        'mentioned',
        'stream_wildcard_mentioned',
        'topic_wildcard_mentioned',
        'wildcard_mentioned',
        'has_alert_word',
        'historical',
      ]),
    )
    .describe('`historical` for a message that was not sent to the caller.'),
});

type MessageResponse = z.infer<typeof messageResponse>;

/** How a client wants a message. */
export interface MessageFormat {
  /** Content as HTML instead of Markdown. */
  readonly isHtml: boolean;
  /** The empty topic as an empty text instead of its name. */
  readonly isEmptyTopicAllowed: boolean;
}

/** The members of a message that do not depend on its reader. */
export type MessageMembers = Omit<MessageResponse, 'flags'>;

/** The members of a message in responses and events that do not depend on its reader. */
export function toSharedMembers(
  message: Omit<MessageView, 'received'>,
  { isHtml, isEmptyTopicAllowed }: MessageFormat,
): MessageMembers {
  const { sender, channel, people, sentAt } = message;
  return {
    id: message.id,
    type: channel === null ? 'private' : 'stream',
    sender_id: message.senderId,
    sender_email: sender.email,
    sender_full_name: sender.fullName,
    sender_realm_str: sender.realm.subdomain,
    client: message.client,
    content: isHtml ? message.rendered : message.content,
    content_type: isHtml ? 'text/html' : 'text/x-markdown',
    timestamp: Math.floor(sentAt.getTime() / 1000),
    subject: channel === null ? '' : shownTopic(message.topic, isEmptyTopicAllowed),
    topic_links: [...message.topicLinks],
    ...(channel !== null && { stream_id: channel.id }),
    display_recipient: channel === null ? (people ?? []).map(toPersonResponse) : channel.name,
    recipient_id: recipientId(message),
    is_me_message: isMeMessage(message.content),
    ...toMessageAdditions(message, isEmptyTopicAllowed),
    avatar_url: null,
  };
}

/** Whether clients show a message as an action of its sender. */
export const isMeMessage = (content: string): boolean => content.startsWith('/me ');

/** The response for a message. */
export const toMessageResponse = (
  message: MessageView,
  format: MessageFormat,
): MessageResponse => ({
  flags: toFlags(message.received),
  ...toSharedMembers(message, format),
});

/** The flags of a message for an account, from its row; null if it has none. */
export function toFlags(received: ReceivedFlags | null): MessageResponse['flags'] {
  if (received === null) return ['read', 'historical'];
  return [
    ...(received.isRead ? (['read'] as const) : []),
    ...(received.isStarred ? (['starred'] as const) : []),
    ...(received.isCollapsed ? (['collapsed'] as const) : []),
    ...(received.hidesLinkPreviews ? (['hide_link_previews'] as const) : []),
    ...(received.isMentioned ? (['mentioned'] as const) : []),
    ...(received.isWildcardMentioned
      ? ([wildcardOf(received), 'wildcard_mentioned'] as const)
      : []),
    ...(received.hasAlertWord ? (['has_alert_word'] as const) : []),
    ...(received.isHistorical ? (['historical'] as const) : []),
  ];
}

const wildcardOf = ({ isTopicMentioned }: { readonly isTopicMentioned: boolean }) =>
  isTopicMentioned ? 'topic_wildcard_mentioned' : 'stream_wildcard_mentioned';

const toPersonResponse = ({ id, email, fullName }: MessagePerson): z.infer<typeof person> => ({
  id,
  email,
  full_name: fullName,
  is_mirror_dummy: false,
});
