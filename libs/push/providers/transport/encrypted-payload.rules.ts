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
export const plainPayload = (
  recipient: Recipient,
  content: PushContent,
  envelope: Envelope,
): string =>
  clientPayload(recipient, content, {
    limit: plainLimit(envelope),
    further: repetitionOf(envelope),
  });

/** The space that the members of a message have beside its text. */
interface MemberRoom {
  /** Of a name, in characters. */
  readonly name: number;
  /** Of the list of participants, in bytes. */
  readonly people: number;
}

const PHONE_ROOM: MemberRoom = { name: MAX_TITLE_LENGTH, people: MAX_PEOPLE_BYTES };

interface ClientPayloadOptions {
  /** In bytes. A message loses the end of its text. */
  readonly limit: number;
  readonly room?: MemberRoom;
  /** Members to add. */
  readonly further?: object;
}

/** The JSON of a notification for a client, at most `limit` bytes, with further members. */
export function clientPayload(
  recipient: Recipient,
  content: PushContent,
  { limit, room = PHONE_ROOM, further = {} }: ClientPayloadOptions,
): string {
  const base = { ...baseOf(recipient, room), ...further };
  switch (content.kind) {
    case 'test':
      return JSON.stringify({ type: 'test', ...base, time: content.time });
    case 'message': {
      const fields = messageFields(recipient, content, room);
      const make = (text: string) => ({ type: 'message', ...base, ...fields, content: text });
      return JSON.stringify(fitted(content.message.text, make, limit));
    }
    case 'remove':
      return JSON.stringify({
        type: 'remove',
        ...base,
        message_ids: ascending(content.messageIds),
      });
  }
}

const baseOf = ({ realmUrl, realmName, userId }: Recipient, { name }: MemberRoom) => ({
  realm_url: realmUrl,
  realm_name: cutText(realmName, name),
  user_id: userId,
});

const repetitionOf = ({ platform, notificationId }: Envelope) =>
  platform === 'fcm' && notificationId !== undefined ? { notification_id: notificationId } : {};

function messageFields(
  { userId }: Recipient,
  { message, trigger }: { readonly message: NotifiedMessage; readonly trigger: MessageTrigger },
  room: MemberRoom,
) {
  const { sender } = message;
  return {
    message_id: message.id,
    sender_id: sender.id,
    sender_full_name: cutText(sender.fullName, room.name),
    sender_avatar_url: sender.avatarUrl,
    time: message.sentAt,
    ...placeFields(message, userId, room),
    ...(trigger.kind === 'group_mention' && {
      mentioned_user_group_id: trigger.group.id,
      mentioned_user_group_name: cutText(trigger.group.name, room.name),
    }),
  };
}

function placeFields({ place, sender }: NotifiedMessage, userId: number, room: MemberRoom) {
  if (place.kind === 'channel') {
    return {
      recipient_type: 'channel',
      channel_id: place.channelId,
      channel_name: cutText(place.channelName, room.name),
      topic: cutText(place.topic, room.name),
    };
  }
  // An app needs the list: of a long one it gets the two that matter.
  const all = ascending(place.people.map(({ id }) => id));
  const ids = bytesOf(all) <= room.people ? all : ascending([userId, sender.id]);
  return { recipient_type: 'direct', recipient_user_ids: ids };
}

const ascending = (ids: readonly number[]): number[] =>
  [...new Set(ids)].toSorted((one, other) => one - other);
