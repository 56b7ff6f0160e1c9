import { createHash } from 'node:crypto';
import {
  fitted,
  isSilent,
  type MessageContent,
  messageFields,
  subtitleOf,
  titleOf,
} from '../transport/message-fields.rules.js';
import type {
  ApnsUrgency,
  EncryptedContent,
  MessageTrigger,
  NotifiedMessage,
  OutgoingPush,
  PreparedContent,
  PushContent,
  Recipient,
} from '../transport/push-transport.js';

type AppFields = Readonly<Record<string, string | number | readonly number[]>>;

/** The JSON payload for Apple: `aps` is for iOS, `zulip` for the app. */
interface PlainApnsPayload {
  readonly aps: {
    readonly alert?: { readonly title: string; readonly subtitle?: string; readonly body: string };
    readonly sound?: 'default';
    /** 0 in a message to an app that has not asked for a count: it removes the number. */
    readonly badge?: number;
    readonly 'content-available'?: 1;
    readonly 'thread-id'?: string;
    readonly 'relevance-score'?: number;
    /** Left out: `active`. */
    readonly 'interruption-level'?: 'passive';
  };
  readonly zulip: AppFields;
}

/** The same with a content that only the app can read: an extension of the app replaces the alert. */
interface EncryptedApnsPayload {
  readonly push_key_id: number;
  readonly encrypted_data: string;
  readonly aps: {
    readonly 'mutable-content': 1;
    readonly alert?: { readonly title: string };
    readonly sound?: 'default';
    readonly 'content-available'?: 1;
  };
}

/** The payload of a push to an iOS device, in every form. */
type ApnsPayload = PlainApnsPayload | EncryptedApnsPayload | PreparedContent['payload'];

/** The payload of a push to an iOS device. */
export function apnsPayload(push: {
  readonly recipient: Recipient;
  readonly content: PushContent;
}): PlainApnsPayload;
export function apnsPayload(push: Pick<OutgoingPush, 'recipient' | 'content'>): ApnsPayload;
export function apnsPayload({
  recipient,
  content,
}: Pick<OutgoingPush, 'recipient' | 'content'>): ApnsPayload {
  switch (content.kind) {
    case 'test':
      return testPayload(recipient);
    case 'message':
      return fitted(content.message.text, (body) => messagePayload(recipient, content, body));
    case 'remove':
      return {
        // Wakes the app: only the app can remove single notifications from the screen. Apple demands nothing else here.
        aps: {
          'content-available': 1,
          ...(content.badge !== undefined && { badge: content.badge }),
        },
        zulip: {
          event: 'remove',
          ...baseOf(recipient),
          zulip_message_ids: content.messageIds.join(','),
        },
      };
    case 'encrypted':
      return encryptedApnsPayload(content);
    case 'prepared':
      return content.payload;
    case 'confirm':
      throw new TypeError('Only a subscription of Web Push is confirmed');
  }
}

/** The payload with an encrypted content. Its other members reveal nothing of the notification. */
export const encryptedApnsPayload = (content: EncryptedContent): EncryptedApnsPayload => ({
  push_key_id: content.keyId,
  encrypted_data: content.data,
  aps: content.isSilent
    ? { 'mutable-content': 1, 'content-available': 1 }
    : { 'mutable-content': 1, alert: { title: 'New notification' }, sound: 'default' },
});

/**
 * An alert is shown at once; a removal may wait until it costs the phone little energy. Apple demands of a background push that it
 * changes nothing that a user sees, such as a badge.
 */
export function apnsUrgency({ content }: Pick<OutgoingPush, 'content'>): ApnsUrgency {
  if (content.kind === 'prepared' && content.apnsUrgency !== null) return content.apnsUrgency;
  if (content.kind === 'remove' && content.badge !== undefined) {
    return { pushType: 'alert', priority: 5 };
  }
  return isSilent(content)
    ? { pushType: 'background', priority: 5 }
    : { pushType: 'alert', priority: 10 };
}

const messagePayload = (
  recipient: Recipient,
  content: MessageContent,
  body: string,
): PlainApnsPayload => ({
  aps: {
    alert: { title: titleOf(content.message), subtitle: subtitleOf(content), body },
    sound: 'default',
    badge: content.badge ?? 0,
    'thread-id': threadOf(recipient, content.message),
    'relevance-score': personalTriggers.has(content.trigger.kind) ? 1 : 0.5,
    ...(content.isPassive && { 'interruption-level': 'passive' }),
  },
  zulip: {
    event: 'message',
    message_ids: [content.message.id],
    ...baseOf(recipient),
    ...messageFields(content),
  },
});

/** What is meant for the recipient alone comes first in iOS's summary of notifications. */
const personalTriggers: ReadonlySet<MessageTrigger['kind']> = new Set([
  'direct',
  'mention',
  'group_mention',
]);

const THREAD_BYTES = 16;

/** Names the conversation of a message, without telling Apple its names: iOS groups notifications by it. */
function threadOf({ realmUrl }: Recipient, { place }: NotifiedMessage): string {
  const conversation =
    place.kind === 'channel'
      ? // Topics with the same letters are one topic.
        ['channel', place.channelId, place.topic.toLowerCase()]
      : ['direct', ...place.people.map(({ id }) => id)];
  const digest = createHash('sha256').update(JSON.stringify([realmUrl, ...conversation]));
  return digest.digest().subarray(0, THREAD_BYTES).toString('base64url');
}

const testPayload = (recipient: Recipient): PlainApnsPayload => ({
  aps: {
    alert: {
      title: 'Test notification',
      body: `This is a test notification from ${recipient.realmName} (${recipient.realmUrl}).`,
    },
    sound: 'default',
  },
  zulip: { ...baseOf(recipient), event: 'test' },
});

const baseOf = ({ realmName, realmUrl, userId }: Recipient) => ({
  realm_uri: realmUrl,
  realm_url: realmUrl,
  realm_name: realmName,
  user_id: userId,
});

/** The headers of a push, named like Apple's. */
export interface ApnsHeaders extends ApnsUrgency {
  readonly id: string;
  readonly topic: string;
  /** UNIX seconds; 0: not kept. */
  readonly expiration: number;
  readonly collapseId: string;
}

/** Apple's bound on bundle identifiers, in characters. */
const LONGEST_TOPIC = 155;

/** The form of a bundle identifier. Any other value could end the connection when it is sent as a header. */
const TOPIC_FORM = new RegExp(`^[\\w.-]{1,${LONGEST_TOPIC}}$`);

/** Whether a text can be sent to Apple as a topic. */
export const isTopic = (text: string): boolean => TOPIC_FORM.test(text);

/** The headers of a push; or Apple's reason why it cannot be sent. */
export function apnsHeaders(push: OutgoingPush): ApnsHeaders | 'MissingTopic' | 'BadTopic' {
  if (push.appId === null) return 'MissingTopic';
  if (!isTopic(push.appId)) return 'BadTopic';
  return {
    id: push.deliveryId,
    topic: push.appId,
    ...apnsUrgency(push),
    // Apple keeps one push for a phone that is off: a removal must not replace a message there.
    expiration: isSilent(push.content) ? 0 : Math.floor(push.expiresAt / 1000),
    // A repeated push replaces the first one on the screen, and so does a reminder.
    collapseId: push.replaces ?? push.notificationId,
  };
}
