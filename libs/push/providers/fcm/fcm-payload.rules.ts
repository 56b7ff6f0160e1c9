import { fcmTargetOf } from '#push/encryption';
import {
  fitted,
  isSilent,
  type MessageContent,
  messageFields,
} from '../transport/message-fields.rules.js';
import type { SharedPart } from '../transport/payload-memo.js';
import type {
  EncryptedContent,
  OutgoingPush,
  PreparedContent,
} from '../transport/push-transport.js';

/** The data of a push to an Android app, all values as text; the app builds the notification. */
export function fcmData(push: SharedPart): Record<string, string> {
  const { content } = push;
  switch (content.kind) {
    case 'test':
      return dataOf(push, { time: content.time });
    case 'message':
      return fitted(content.message.text, (text) => dataOf(push, contentFields(content, text)));
    case 'remove':
      return dataOf(push, { zulip_message_ids: content.messageIds.join(',') });
    case 'encrypted':
      return encryptedFcmData(content);
    case 'prepared':
      return textsOf(content.payload);
    case 'confirm':
      throw new TypeError('Only a subscription of Web Push is confirmed');
  }
}

const textsOf = (payload: PreparedContent['payload']): Record<string, string> =>
  Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, String(value)]));

/** The data with an encrypted content, and nothing else. */
export const encryptedFcmData = ({ keyId, data }: EncryptedContent): Record<string, string> => ({
  push_key_id: String(keyId),
  encrypted_data: data,
});

/** A removal does not wake the phone. */
export const androidPriority = ({ content }: Pick<SharedPart, 'content'>): 'high' | 'normal' =>
  isSilent(content) ? 'normal' : 'high';

/** The delivery options of a push to an Android app. */
export interface AndroidOptions {
  readonly priority: 'high' | 'normal';
  /** How long Google keeps the push for a phone that is off, in whole seconds, at least 0. */
  readonly ttlSeconds: number;
  /** Whether the push may be delivered over a satellite link or another constrained network. */
  readonly isForConstrainedNetworks: boolean;
}

/**
 * The options of a push; `now` is in UNIX milliseconds. A removal uses no constrained network. No
 * collapse key: FCM stores at most four of them for a phone that is off, and drops the others.
 */
export function androidOptions(
  { content, expiresAt }: Pick<OutgoingPush, 'content' | 'expiresAt'>,
  usesConstrainedNetworks: boolean,
  now: number,
): AndroidOptions {
  return {
    priority: androidPriority({ content }),
    ttlSeconds: Math.max(0, Math.floor((expiresAt - now) / 1000)),
    isForConstrainedNetworks: !isSilent(content) && usesConstrainedNetworks,
  };
}

const contentFields = (content: MessageContent, text: string) => ({
  ...messageFields(content),
  zulip_message_id: content.message.id,
  time: content.message.sentAt,
  content: text,
  sender_full_name: content.message.sender.fullName,
  sender_avatar_url: content.message.sender.avatarUrl,
});

function dataOf(
  { notificationId, recipient, content }: SharedPart,
  further: Readonly<Record<string, string | number>>,
): Record<string, string> {
  const fields = {
    server: recipient.server,
    realm_id: recipient.realmId,
    realm_uri: recipient.realmUrl,
    realm_url: recipient.realmUrl,
    realm_name: recipient.realmName,
    user_id: recipient.userId,
    event: content.kind,
    ...further,
    // Names the push in reports of users; neither the app nor Android drops a repetition by it.
    notification_id: notificationId,
  };
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
  );
}

/**
 * The body of `messages:send`. `data` is JSON, built once for all devices of a notification.
 * https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages
 */
export function fcmBody(
  push: Pick<OutgoingPush, 'token' | 'fcmTarget'>,
  data: string,
  options: AndroidOptions,
): string {
  const constrained = options.isForConstrainedNetworks ? ',"bandwidth_constrained_ok":true' : '';
  const android = `{"priority":"${options.priority}","ttl":"${options.ttlSeconds}s"${constrained}}`;
  const target = `"${push.fcmTarget ?? fcmTargetOf(push.token)}":${JSON.stringify(push.token)}`;
  return `{"message":{${target},"data":${data},"android":${android}}}`;
}
