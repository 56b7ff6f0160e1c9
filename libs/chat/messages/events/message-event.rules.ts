import { namedTopic, shownTopic } from '#chat/channels';
import type { EventReader, EventType, QueueOptions } from '#events/declarations';
import { isCapable } from '#events/declarations';
import type { ReaderFlags } from '#events/log';
import { avatarUrl } from '#directory/avatars';
import { nameKey } from '#platform/contracts';
import { type MessageMembers, toFlags, toSharedMembers } from '../message.response.js';
import type { MessageView, StoredMessage } from '../reading/message.repository.js';
import type { RecipientGroup } from '../sending/new-message.repository.js';
import { isFoundBy } from '../narrows/spellings.rules.js';
import { RESOLVED_TOPIC_PREFIX } from '../resolved-topic.rules.js';

/** The stored body of a `message` event: from it, each queue gets its form of the message. */
interface MessageEventBody {
  /** With Markdown, and with the topic as it is stored. */
  readonly message: MessageMembers;
  /** HTML. */
  readonly rendered: string;
}

/** The stored body of the event of a message. */
export function messageEventBody(
  message: StoredMessage & Pick<MessageView, 'topicLinks'>,
): MessageEventBody {
  const rendered = message.rendered ?? '';
  const format = { isHtml: false, isEmptyTopicAllowed: true };
  return { message: toSharedMembers({ ...message, rendered }, format), rendered };
}

/** The flags of the recipients that have any. */
export const readerFlags = (recipients: readonly RecipientGroup[]): ReaderFlags[] =>
  recipients
    .map(({ userIds, ...received }) => ({
      flags: toFlags({
        isStarred: false,
        isCollapsed: false,
        hidesLinkPreviews: false,
        isHistorical: false,
        ...received,
      }),
      userIds,
    }))
    .filter(({ flags }) => flags.length > 0);

/** The events of new messages. */
export const messageEventType: EventType = {
  type: 'message',
  hasFlags: true,
  // All bodies of this type are written by `messageEventBody`.
  formsOf: (body, options) => [
    { message: messageFor(body as unknown as MessageEventBody, options) },
  ],
  isFor: (body, reader) => isInNarrow(body as unknown as MessageEventBody, reader),
};

function messageFor(
  { message, rendered }: MessageEventBody,
  options: QueueOptions,
): Omit<MessageMembers, 'avatar_url'> & { readonly avatar_url: string | null } {
  const isEmptyTopicAllowed = isCapable(options, 'empty_topic_name');
  return {
    ...message,
    ...(options.applyMarkdown && { content: rendered, content_type: 'text/html' }),
    ...(message.type === 'stream' && { subject: shownTopic(message.subject, isEmptyTopicAllowed) }),
    avatar_url: options.clientGravatar ? null : avatarUrl(message.sender_id),
  };
}

/** Whether a message matches all terms of the `narrow` of a queue. Names are compared as in a narrow of fetched messages. */
const isInNarrow = ({ message }: MessageEventBody, { options, flags }: EventReader): boolean =>
  options.narrow.every(([operator, operand]) => isMatch(message, flags, operator, operand));

function isMatch(
  message: MessageMembers,
  flags: readonly string[],
  operator: string,
  operand: string,
): boolean {
  const { type, display_recipient, subject, sender_email } = message;
  switch (operator) {
    case 'channel':
    case 'stream':
      return (
        typeof display_recipient === 'string' && nameKey(display_recipient) === nameKey(operand)
      );
    case 'topic':
      return type === 'stream' && isFoundBy(namedTopic(subject), namedTopic(operand));
    case 'sender':
      return sender_email.toLowerCase() === operand.toLowerCase();
    case 'is':
      return isMatchOfState(message, flags, operand);
    default:
      return true;
  }
}

/** Unknown operands filter nothing. */
function isMatchOfState(
  { type, subject }: MessageMembers,
  flags: readonly string[],
  operand: string,
): boolean {
  switch (operand) {
    case 'dm':
    case 'private':
      return type === 'private';
    case 'starred':
      return flags.includes('starred');
    case 'unread':
      return !flags.includes('read');
    case 'alerted':
    case 'mentioned':
      return flags.includes('mentioned');
    case 'resolved':
      return type === 'stream' && subject.startsWith(RESOLVED_TOPIC_PREFIX);
    default:
      return true;
  }
}
