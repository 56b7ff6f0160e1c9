import { createHash } from 'node:crypto';

/** Where a message goes: a topic of a channel, or the conversation of some people. */
export type MessagePlace =
  | { readonly channelId: number; readonly topic: string }
  /** Whether or not the sender is among them. */
  | { readonly userIds: readonly number[] };

/** An entry of a PostgreSQL index holds no more than a third of a page, and this is less in any case. */
const LONGEST_PLAIN_KEY = 2000;

/** Everyone who takes part in a direct conversation, its sender always, in ascending order. */
export const membersOf = (senderId: number, userIds: readonly number[]): number[] =>
  [...new Set([senderId, ...userIds])].toSorted((one, other) => one - other);

/**
 * What a conversation is found by: the ids of its members with commas between, or, where that is too
 * long for an index, its digest.
 */
export function conversationKey(members: readonly number[]): string {
  const key = members.join(',');
  if (key.length <= LONGEST_PLAIN_KEY) return key;
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

/**
 * One number for each place, as clients hash messages by it: channels and conversations are counted
 * apart, so that channels get the even numbers and conversations the odd ones.
 */
export const recipientId = (place: {
  readonly channelId: number | null;
  readonly conversationId: number | null;
}): number =>
  place.channelId === null ? 2 * (place.conversationId ?? 0) + 1 : 2 * place.channelId;
