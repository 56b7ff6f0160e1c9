import type { Platform } from '#push/jobs';
import { encryptedApnsPayload } from '../apns/apns-payload.rules.js';
import { encryptedFcmData } from '../fcm/fcm-payload.rules.js';
import {
  bytesOf,
  cutText,
  fitted,
  MAX_PAYLOAD_BYTES,
  MAX_PEOPLE_BYTES,
  MAX_TITLE_LENGTH,
} from './message-fields.rules.js';
import type {
  EncryptedContent,
  MessageTrigger,
  NotifiedMessage,
  PushContent,
  Recipient,
} from './push-transport.js';

/** Nonce and MAC. */
const ENCRYPTION_BYTES = 24 + 16;

/** The envelope of an encrypted payload. */
interface Envelope {
  readonly platform: Platform;
  readonly keyId: number;
  /** So that an Android app can drop a repetition, which neither it nor Android does now; left out if there is no delivery. */
  readonly notificationId?: string;
}

/** The space for the payload of a message before its encryption, in bytes. */
export function plainLimit({ platform, keyId }: Pick<Envelope, 'platform' | 'keyId'>): number {
  const empty: EncryptedContent = { kind: 'encrypted', isSilent: false, keyId, data: '' };
  const envelope = platform === 'apns' ? encryptedApnsPayload(empty) : encryptedFcmData(empty);
  const space = MAX_PAYLOAD_BYTES - bytesOf(envelope);
  // In base64 four characters have three bytes.
  return Math.floor(space / 4) * 3 - ENCRYPTION_BYTES;
}

/**
 * The JSON of a notification before its encryption. Where it would exceed the limit of the providers, a message loses the
 * end of its text; a removal has a page of `removalPages`, which fits.
 */
export function plainPayload(
  recipient: Recipient,
  content: PushContent,
  envelope: Envelope,
): string {
  const base = { ...baseOf(recipient), ...repetitionOf(envelope) };
  switch (content.kind) {
    case 'test':
      return JSON.stringify({ type: 'test', ...base, time: content.time });
    case 'message': {
      const fields = messageFields(recipient, content);
      const make = (text: string) => ({ type: 'message', ...base, ...fields, content: text });
      return JSON.stringify(fitted(content.message.text, make, plainLimit(envelope)));
    }
    case 'remove':
      return JSON.stringify({
        type: 'remove',
        ...base,
        message_ids: ascending(content.messageIds),
      });
  }
}

const baseOf = ({ realmUrl, realmName, userId }: Recipient) => ({
  realm_url: realmUrl,
  realm_name: cutText(realmName, MAX_TITLE_LENGTH),
  user_id: userId,
});

const repetitionOf = ({ platform, notificationId }: Envelope) =>
  platform === 'fcm' && notificationId !== undefined ? { notification_id: notificationId } : {};

function messageFields(
  { userId }: Recipient,
  { message, trigger }: { readonly message: NotifiedMessage; readonly trigger: MessageTrigger },
) {
  const { sender } = message;
  return {
    message_id: message.id,
    sender_id: sender.id,
    sender_full_name: cutText(sender.fullName, MAX_TITLE_LENGTH),
    sender_avatar_url: sender.avatarUrl,
    time: message.sentAt,
    ...placeFields(message, userId),
    ...(trigger.kind === 'group_mention' && {
      mentioned_user_group_id: trigger.group.id,
      mentioned_user_group_name: cutText(trigger.group.name, MAX_TITLE_LENGTH),
    }),
  };
}

function placeFields({ place, sender }: NotifiedMessage, userId: number) {
  if (place.kind === 'channel') {
    return {
      recipient_type: 'channel',
      channel_id: place.channelId,
      channel_name: cutText(place.channelName, MAX_TITLE_LENGTH),
      topic: cutText(place.topic, MAX_TITLE_LENGTH),
    };
  }
  // An app needs the list: of a long one it gets the two that matter.
  const all = ascending(place.people.map(({ id }) => id));
  const ids = bytesOf(all) <= MAX_PEOPLE_BYTES ? all : ascending([userId, sender.id]);
  return { recipient_type: 'direct', recipient_user_ids: ids };
}

const ascending = (ids: readonly number[]): number[] =>
  [...new Set(ids)].toSorted((one, other) => one - other);
