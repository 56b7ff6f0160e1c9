import { channelLink } from '#platform/markdown';
import type { LockedMessage } from '../changing/locked-message.repository.js';
import type { MessagePlace } from '../sending/new-message.rules.js';
import { type EditInput, type MessageMove, resolutionOf } from './message-edit.rules.js';

/** A move that has been carried out. */
export interface MoveResult {
  /** The given message as it was before. */
  readonly message: LockedMessage;
  readonly move: MessageMove;
  /** The number of moved messages. */
  readonly count: number;
  /** Whether no message of the topic stayed behind. */
  readonly isWhole: boolean;
  /** The channel after the move. */
  readonly channel: { readonly id: number; readonly name: string; readonly isPrivate: boolean };
  /** Whether some who read the new place, now or later, must not learn the old one. */
  readonly isOldHidden: boolean;
  /** Whether some who read the old place, now or later, must not learn the new one. */
  readonly isNewHidden: boolean;
}

/** A message of the server about a move. */
interface MoveNotice {
  readonly place: MessagePlace;
  /** Markdown. */
  readonly content: string;
  /** Whether only accounts that follow the topic get it as unread. */
  readonly isForFollowers?: boolean;
}

/**
 * The notices of a move: in the new topic and in the old one, as the client asks; always if a topic was resolved. `by` is the
 * account that has moved the messages, in Markdown.
 */
export function noticesOf(
  moved: MoveResult,
  by: string,
  { notifiesNewThread, notifiesOldThread }: EditInput,
): MoveNotice[] {
  const { message, move, count, isWhole, channel } = moved;
  const newPlace = { channelId: channel.id, topic: move.topic ?? message.topic };
  const oldPlace = { channelId: message.channelId ?? 0, topic: message.topic };
  const resolution = resolutionOf(message, move);
  if (resolution !== null && isWhole) {
    const content = `${by} has marked this topic as ${resolution}.`;
    return [{ place: newPlace, content, isForFollowers: true }];
  }
  const what = count === 1 ? 'A message was' : `${count} messages were`;
  const from = moved.isOldHidden ? 'another channel' : linkTo(message.channelName ?? '', oldPlace);
  const to = moved.isNewHidden ? 'another channel' : linkTo(channel.name, newPlace);
  const arrived = isWhole ? 'This topic was' : what;
  const left = isWhole ? 'This topic was moved' : `${what} moved from this topic`;
  return [
    ...(notifiesNewThread
      ? [{ place: newPlace, content: `${arrived} moved here from ${from} by ${by}.` }]
      : []),
    ...(notifiesOldThread ? [{ place: oldPlace, content: `${left} to ${to} by ${by}.` }] : []),
  ];
}

const linkTo = (
  name: string,
  { channelId, topic }: { readonly channelId: number; readonly topic: string },
): string => channelLink({ channel: { id: channelId, name }, topic });
