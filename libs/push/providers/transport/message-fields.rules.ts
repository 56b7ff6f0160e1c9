import type { NotifiedMessage, OutgoingPush, PushContent } from './push-transport.js';

/** The limit of both Apple and Google. */
export const MAX_PAYLOAD_BYTES = 4096;
/** In characters; phones show less of a title. */
export const MAX_TITLE_LENGTH = 100;
/** Longer lists of participants would leave no space for the message. */
export const MAX_PEOPLE_BYTES = 1500;

/** What a push about a message shows. */
export type MessageContent = PushContent & { readonly kind: 'message' };

/** Whether a push shows nothing, and may wait. */
export const isSilent = (content: OutgoingPush['content']): boolean =>
  content.kind === 'remove' || ('isSilent' in content && content.isSilent);

/** Whether a conversation has more than two participants. */
const isGroup = ({ place }: NotifiedMessage): boolean =>
  place.kind === 'direct' && place.people.length > 2;

/** The fields of a message for both providers, without its text. Apps know the names. */
export function messageFields({ trigger, message }: MessageContent) {
  const { sender } = message;
  return {
    sender_id: sender.id,
    sender_email: sender.email,
    ...(trigger.kind === 'group_mention' && {
      mentioned_user_group_id: trigger.group.id,
      mentioned_user_group_name: trigger.group.name,
    }),
    ...placeFields(message),
  };
}

function placeFields({ place }: NotifiedMessage): Record<string, string | number> {
  if (place.kind === 'channel') {
    return {
      recipient_type: 'stream',
      stream: place.channelName,
      stream_id: place.channelId,
      topic: place.topic,
    };
  }
  const people = place.people.map(({ id }) => id).join(',');
  const isListed = place.people.length > 2 && people.length <= MAX_PEOPLE_BYTES;
  return { recipient_type: 'private', ...(isListed && { pm_users: people }) };
}

/** The title of a message's notification: its channel and topic, or the participants. */
export function titleOf({ place, sender }: NotifiedMessage): string {
  if (place.kind === 'channel') return `#${place.channelName} > ${place.topic}`;
  if (place.people.length <= 2) return sender.fullName;
  const names = place.people.map(({ fullName }) => fullName).toSorted();
  return cutText(names.join(', '), MAX_TITLE_LENGTH);
}

/** The subtitle: the sender, and the mention if there is one. */
export function subtitleOf({ trigger, message }: MessageContent): string {
  const name = message.sender.fullName;
  switch (trigger.kind) {
    case 'mention':
      return `${name} mentioned you:`;
    case 'group_mention':
      return `${name} mentioned @${trigger.group.name}:`;
    case 'wildcard_mention':
      return `${name} mentioned everyone:`;
    default:
      return message.place.kind === 'channel' || isGroup(message) ? `${name}:` : '';
  }
}

/**
 * The payload that `make` builds from a text. If it exceeds the limit, by default that of the providers, the text is cut. All other
 * fields have limits of their own, which leave space for some text.
 */
export function fitted<Payload>(
  text: string,
  make: (text: string) => Payload,
  limit = MAX_PAYLOAD_BYTES,
): Payload {
  const whole = make(text);
  const excess = bytesOf(whole) - limit;
  if (excess <= 0) return whole;
  const characters = [...text];
  // Includes the space for the ellipsis. A character may be longer in JSON than in UTF-8.
  let removed = -Buffer.byteLength('…');
  while (removed < excess && characters.length > 0) {
    removed += bytesOf(characters.pop()) - bytesOf('');
  }
  return make(`${characters.join('')}…`);
}

/** The size of a value as JSON. */
export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** In code points. */
const MAX_TEXT_LENGTH = 200;

/** Cuts a text to `limit` code points; an ellipsis marks the cut. */
export function cutText(text: string, limit = MAX_TEXT_LENGTH): string {
  // A text has at most as many code points as UTF-16 units; only the beginning of a long text is counted.
  if (text.length <= limit) return text;
  const characters = Array.from(text.slice(0, 2 * limit + 1));
  return characters.length <= limit ? text : `${characters.slice(0, limit).join('')}…`;
}

/** The most messages of one removal: the push service takes no more. */
const MAX_REMOVED = 200;
/** The space for their ids in a payload that is encrypted and has the longest names. */
const MAX_REMOVED_BYTES = 1900;

/** The lists of messages that removals name, in ascending order: as many as needed, so that each fits into any payload. */
export function removalPages(messageIds: readonly number[]): number[][] {
  const pages: number[][] = [];
  let room = 0;
  for (const id of messageIds.toSorted((one, other) => one - other)) {
    const bytes = `${id},`.length;
    if (bytes > room || pages.at(-1)?.length === MAX_REMOVED) {
      pages.push([]);
      room = MAX_REMOVED_BYTES;
    }
    pages.at(-1)?.push(id);
    room -= bytes;
  }
  return pages;
}
