import { fitted, type MessageContent, messageFields } from '../transport/message-fields.rules.js';
import type { SharedPart } from '../transport/payload-memo.js';

/** What an Android app is sent: data only, all of it text; the app makes the notification. */
export function fcmData(push: SharedPart): Record<string, string> {
  const { content } = push;
  switch (content.kind) {
    case 'test':
      return dataOf(push, { time: content.time });
    case 'message':
      return fitted(content.message.text, (text) => dataOf(push, contentFields(content, text)));
    case 'remove':
      return dataOf(push, { zulip_message_ids: content.messageIds.join(',') });
  }
}

/** What shows nothing may wait until the phone is awake anyhow. */
export const androidPriority = ({ content }: Pick<SharedPart, 'content'>): 'high' | 'normal' =>
  content.kind === 'remove' ? 'normal' : 'high';

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
    // Android shows what is sent twice twice, unless the app knows that it is the same.
    notification_id: notificationId,
  };
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
  );
}
