import type { NotifiedMessage, PushContent } from './push-content.js';
import { cutText } from './notification-text.rules.js';

/** What a payload may take, to Apple and to Google. */
const LARGEST_PAYLOAD_BYTES = 4096;
/** Of the names that make a title: what nobody sees of it need not be sent. */
const LONGEST_TITLE = 100;
/** The ids of more people would leave no room for the message. */
const LONGEST_PEOPLE_BYTES = 1500;

export type MessageContent = PushContent & { readonly kind: 'message' };

/** A conversation of more than two. */
export const isGroup = ({ place }: NotifiedMessage): boolean =>
  place.kind === 'direct' && place.people.length > 2;

/** What both providers are told of a message beside what it says, under the names that apps know. */
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
  const isTold = place.people.length > 2 && people.length <= LONGEST_PEOPLE_BYTES;
  return { recipient_type: 'private', ...(isTold && { pm_users: people }) };
}

/** Where a message was said, as the heading of its notification. */
export function titleOf({ place, sender }: NotifiedMessage): string {
  if (place.kind === 'channel') {
    return place.topic === '' ? `#${place.channelName}` : `#${place.channelName} > ${place.topic}`;
  }
  if (place.people.length <= 2) return sender.fullName;
  const names = place.people.map(({ fullName }) => fullName).toSorted();
  return cutText(names.join(', '), LONGEST_TITLE);
}

/** Who said it, and whom it calls. */
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
 * The payload that `make` makes of a message's text, or of as much of its beginning as the providers take.
 * What else a payload says is limited where it is made or stored, and leaves room for some text.
 */
export function fitted<Payload>(text: string, make: (text: string) => Payload): Payload {
  const whole = make(text);
  const excess = bytesOf(whole) - LARGEST_PAYLOAD_BYTES;
  if (excess <= 0) return whole;
  const characters = [...text];
  // With room for the ellipsis. As JSON a character may take many times what it takes in UTF-8.
  let removed = -Buffer.byteLength('…');
  while (removed < excess && characters.length > 0) {
    removed += bytesOf(characters.pop()) - bytesOf('');
  }
  return make(`${characters.join('')}…`);
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
