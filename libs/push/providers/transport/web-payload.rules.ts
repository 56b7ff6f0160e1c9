import { clientPayload } from './encrypted-payload.rules.js';
import type { OutgoingPush } from './push-transport.js';

/** The text of a push that every service takes, also where it wraps the push in base64. */
export const MAX_WEB_PAYLOAD_BYTES = 2641;
/** The most ids of read messages in a push. */
const MAX_READ_IDS = 50;
/** What they have room for in bytes, and the other members beside the text. Four names may have four bytes a character. */
const MAX_READ_BYTES = 400;
const ROOM = { name: 50, people: 400 } as const;
const SMALL_ROOM = { name: 20, people: 100 } as const;

/** The JSON of a push to a subscription of Web Push before its encryption: at most `limit` bytes, of which 1,200 are enough. */
export function webPushPayload(
  {
    notificationId,
    recipient,
    content,
    web,
  }: Pick<OutgoingPush, 'notificationId' | 'recipient' | 'content' | 'web'>,
  limit = MAX_WEB_PAYLOAD_BYTES,
): string {
  switch (content.kind) {
    case 'confirm':
      return JSON.stringify({
        type: 'confirm',
        subscription_id: content.subscriptionId,
        confirmation_token: content.token,
      });
    case 'encrypted':
    case 'prepared':
      throw new TypeError('A push to a subscription of Web Push is encrypted by its transport');
    default: {
      const isSmall = limit < MAX_WEB_PAYLOAD_BYTES;
      const hasRead = content.kind === 'message' && !isSmall;
      const read = hasRead ? newestOf(web?.readMessageIds ?? []) : [];
      const further = {
        notification_id: notificationId,
        ...(read.length > 0 && { read_message_ids: read }),
      };
      return clientPayload(recipient, content, {
        limit,
        room: isSmall ? SMALL_ROOM : ROOM,
        further,
      });
    }
  }
}

/** The highest ids that have space, in ascending order. */
function newestOf(ids: readonly number[]): number[] {
  const newest = ids.toSorted((one, other) => other - one).slice(0, MAX_READ_IDS);
  let room = MAX_READ_BYTES;
  return newest.filter((id) => (room -= `${id},`.length) >= 0).toReversed();
}
