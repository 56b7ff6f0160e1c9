import type { OutgoingPush } from '../transport/push-transport.js';

/** What an Android app is sent: data only, all of it text; the app makes the notification. */
export function fcmData({
  notificationId,
  recipient,
  content,
}: OutgoingPush): Record<string, string> {
  return {
    server: recipient.server,
    realm_id: String(recipient.realmId),
    realm_uri: recipient.realmUrl,
    realm_url: recipient.realmUrl,
    realm_name: recipient.realmName,
    user_id: String(recipient.userId),
    event: content.kind,
    time: String(content.time),
    // Android shows what is sent twice twice, unless the app knows that it is the same.
    notification_id: notificationId,
  };
}
